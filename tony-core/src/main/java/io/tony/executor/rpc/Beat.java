package io.tony.executor.rpc;

import java.time.Duration;
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
 * @param held null but where the container is kept from now on; what is reported after that
 * @param heldFor how long that is at most
 */
public record Beat(
    String progress,
    Sample sample,
    boolean tensorBoardListens,
    String stands,
    List<Kept> kept,
    StacksTold stacks,
    Exit held,
    Duration heldFor) {
  /** That the executor lives, and no more. */
  public static final Beat NO_NEWS = of(null, null);

  public static final Beat TENSORBOARD =
      new Beat(null, null, true, null, List.of(), null, null, null);

  /** Of a program that goes on; each is null where it is no new one. */
  public static Beat of(String progress, Sample sample) {
    return new Beat(progress, sample, false, null, List.of(), null, null, null);
  }

  public static Beat stood(String where) {
    return new Beat(null, null, false, where, List.of(), null, null, null);
  }

  public static Beat kept(Kept checkpoint) {
    return new Beat(null, null, false, null, List.of(checkpoint), null, null, null);
  }

  public static Beat stacks(StacksTold told) {
    return new Beat(null, null, false, null, List.of(), told, null, null);
  }

  /** The program has failed, and this will be reported when its container was kept for so long. */
  public static Beat held(Exit held, Duration heldFor) {
    return new Beat(null, null, false, null, List.of(), null, held, heldFor);
  }
}
