package io.tony.executor.rpc;

/**
 * What a heartbeat tells.
 *
 * @param progress the last line of the program's progress file; null where it is no new one
 * @param sample null where there is no new one
 * @param tensorBoardListens the program accepts connections at the port for TensorBoard
 * @param stands where the program stood that a restart has ended; null where it did not ask
 */
public record Beat(String progress, Sample sample, boolean tensorBoardListens, String stands) {
  /** That the executor lives, and no more. */
  public static final Beat NO_NEWS = new Beat(null, null, false, null);

  public static final Beat TENSORBOARD = new Beat(null, null, true, null);

  public static Beat stood(String where) {
    return new Beat(null, null, false, where);
  }
}
