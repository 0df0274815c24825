package io.tony.executor.rpc;

/**
 * What a heartbeat tells.
 *
 * @param progress the last line of the program's progress file; null where it is no new one
 * @param sample null where there is no new one
 * @param tensorBoardListens the program accepts connections at the port for TensorBoard
 */
public record Beat(String progress, Sample sample, boolean tensorBoardListens) {
  /** That the executor lives, and no more. */
  public static final Beat NO_NEWS = new Beat(null, null, false);

  public static final Beat TENSORBOARD = new Beat(null, null, true);
}
