package io.tony.executor.rpc;

import io.tony.model.TaskKey;

/**
 * What an ApplicationMaster is to know of a task, at first and when it is another one.
 *
 * @param tensorBoardPort 0 where there is none
 * @param pid of the program, when it runs already; else 0
 * @param tensorBoardListens at its port
 */
public record TaskRegistration(
    TaskKey task,
    String host,
    int port,
    int tensorBoardPort,
    long pid,
    boolean tensorBoardListens) {

  /** Of a task whose program does not run. */
  public static TaskRegistration of(TaskKey task, String host, int port, int tensorBoardPort) {
    return new TaskRegistration(task, host, port, tensorBoardPort, 0, false);
  }

  public TaskRegistration withPid(long started) {
    return new TaskRegistration(task, host, port, tensorBoardPort, started, tensorBoardListens);
  }

  public TaskRegistration withTensorBoard() {
    return new TaskRegistration(task, host, port, tensorBoardPort, pid, true);
  }
}
