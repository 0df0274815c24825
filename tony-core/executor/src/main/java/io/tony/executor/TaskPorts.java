package io.tony.executor;

import io.tony.executor.port.PortReservation;
import io.tony.executor.port.PortWatch;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The ports that are reserved for a task on this node: one at which other tasks reach the program
 * and, if the task has a TensorBoard, one for TensorBoard.
 */
final class TaskPorts implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(TaskPorts.class);

  private final PortReservation task;
  private final @Nullable PortReservation tensorBoard; // null if the task has no TensorBoard
  private final String host;
  private final Spawner spawner;

  private TaskPorts(
      PortReservation task, @Nullable PortReservation tensorBoard, String host, Spawner spawner) {
    this.spawner = spawner;
    this.task = task;
    this.tensorBoard = tensorBoard;
    this.host = host;
  }

  /**
   * Reserves the ports of a task.
   *
   * @param spawner starts the thread that watches TensorBoard's port
   */
  static TaskPorts reserve(ExecutorSettings settings, Spawner spawner) throws IOException {
    PortReservation task = PortReservation.take(settings.reusePort());
    // TensorBoard's port cannot be shared, because TensorBoard does not set SO_REUSEPORT: the port
    // must be free when TensorBoard binds it.
    return new TaskPorts(
        task,
        settings.tensorBoard() ? PortReservation.take(false) : null,
        settings.host(),
        spawner);
  }

  int task() {
    return task.port();
  }

  /** Returns TensorBoard's port; 0 if the task has no TensorBoard. */
  int tensorBoard() {
    return tensorBoard == null ? 0 : tensorBoard.port();
  }

  /**
   * Frees the ports so that the program, which is about to start, can bind them. A task port that
   * is shared (see {@link PortReservation}) stays reserved.
   */
  void handOver() throws IOException {
    task.handOver();
    if (tensorBoard != null) {
      tensorBoard.handOver();
    }
  }

  /**
   * Calls {@code onListening}, on another thread, when something accepts connections at
   * TensorBoard's port while {@code run} runs. Does nothing if the task has no TensorBoard.
   */
  void watchTensorBoard(ProgramProcess run, Runnable onListening) {
    if (tensorBoard != null) {
      try {
        new PortWatch(host, tensorBoard.port()).start(run.ended(), onListening, spawner);
      } catch (IOException e) {
        LOG.warn("whether TensorBoard listens is not seen: " + e);
      }
    }
  }

  /**
   * Reserves ports for the next attempt, after the program's end: the same ports if no process uses
   * them, otherwise others.
   */
  void renew() throws IOException {
    task.renew();
    if (tensorBoard != null) {
      tensorBoard.renew();
    }
  }

  @Override
  public void close() throws IOException {
    task.close();
    if (tensorBoard != null) {
      tensorBoard.close();
    }
  }
}
