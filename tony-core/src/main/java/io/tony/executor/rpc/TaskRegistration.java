package io.tony.executor.rpc;

import io.tony.model.TaskKey;

/**
 * Data that a task sends to an ApplicationMaster when it registers, at first and again with each
 * successor.
 *
 * @param host this node's name as other tasks know it
 * @param port port at which other tasks reach the program
 * @param tensorBoardPort TensorBoard's port; 0 for none
 * @param pid process ID of the program if it runs already; else 0
 * @param tensorBoardListens whether the program accepts connections at TensorBoard's port
 */
public record TaskRegistration(
    TaskKey task,
    String host,
    int port,
    int tensorBoardPort,
    long pid,
    boolean tensorBoardListens) {

  /** Returns the registration of a task whose program does not run. */
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
