package io.tony.executor.rpc;

import io.tony.model.TaskKey;

/**
 * Data with which a task registers at an ApplicationMaster: before the program starts, and again at
 * each successor, when the program may already run.
 *
 * @param host this node's name, by which the other tasks reach it
 * @param port port at which the other tasks reach the program
 * @param tensorBoardPort TensorBoard's port; 0 for none
 * @param pid process ID of the program if it was started; else 0
 * @param tensorBoardListens whether the program accepts connections at TensorBoard's port
 */
public record TaskRegistration(
    TaskKey task,
    String host,
    int port,
    int tensorBoardPort,
    long pid,
    boolean tensorBoardListens) {

  /** Returns the registration of a task whose program was not started yet. */
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
