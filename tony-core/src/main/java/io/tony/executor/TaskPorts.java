package io.tony.executor;

import java.io.IOException;

/**
 * The ports of one task: the one by which the others reach it, and TensorBoard's where it may be.
 */
final class TaskPorts implements AutoCloseable {
  private final PortReservation task;
  private final PortReservation tensorBoard; // null where there is none
  private final String host;

  private TaskPorts(PortReservation task, PortReservation tensorBoard, String host) {
    this.task = task;
    this.tensorBoard = tensorBoard;
    this.host = host;
  }

  static TaskPorts reserve(ExecutorSettings settings) throws IOException {
    PortReservation task = PortReservation.take(settings.reusePort());
    // TensorBoard does not set SO_REUSEPORT.
    return new TaskPorts(
        task, settings.tensorBoard() ? PortReservation.take(false) : null, settings.host());
  }

  int task() {
    return task.port();
  }

  /** 0 where none is reserved. */
  int tensorBoard() {
    return tensorBoard == null ? 0 : tensorBoard.port();
  }

  void handOver() throws IOException {
    task.handOver();
    if (tensorBoard != null) {
      tensorBoard.handOver();
    }
  }

  /** Calls {@code onListening}, on another thread, when the program accepts at TensorBoard's. */
  void watchTensorBoard(ProgramRun run, Runnable onListening) {
    if (tensorBoard != null) {
      new PortWatch(host, tensorBoard.port()).begin(run.ended(), onListening);
    }
  }

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
