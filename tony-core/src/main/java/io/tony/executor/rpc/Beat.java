package io.tony.executor.rpc;

import java.util.List;

/**
 * What a heartbeat tells.
 *
 * @param progress the last line of the program's progress file; null where it is no new one
 * @param sample null where there is no new one
 * @param tensorBoardListens the program accepts connections at the port for TensorBoard
 * @param stands where the program stood that a restart has ended; null where it did not ask
 * @param kept what became of checkpoints since the last one
 * @param stacks the answer to a question for them; null where there was none
 */
public record Beat(
    String progress,
    Sample sample,
    boolean tensorBoardListens,
    String stands,
    List<Kept> kept,
    StacksTold stacks) {
  /** That the executor lives, and no more. */
  public static final Beat NO_NEWS = of(null, null);

  public static final Beat TENSORBOARD = new Beat(null, null, true, null, List.of(), null);

  /** Of a program that goes on; each is null where it is no new one. */
  public static Beat of(String progress, Sample sample) {
    return new Beat(progress, sample, false, null, List.of(), null);
  }

  public static Beat stood(String where) {
    return new Beat(null, null, false, where, List.of(), null);
  }

  public static Beat kept(Kept checkpoint) {
    return new Beat(null, null, false, null, List.of(checkpoint), null);
  }

  public static Beat stacks(StacksTold told) {
    return new Beat(null, null, false, null, List.of(), told);
  }
}
