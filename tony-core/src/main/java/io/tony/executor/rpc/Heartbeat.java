package io.tony.executor.rpc;

import java.time.Duration;
import java.util.List;

/**
 * What a heartbeat tells.
 *
 * @param progress the last line of the program's progress file; null where it is no new one
 * @param sample null where there is no new one
 * @param tensorBoardListens the program accepts connections at the port for TensorBoard
 * @param hangLocation where the program stood that a restart has ended; null where it did not ask
 * @param checkpointOutcomes what became of checkpoints since the last one
 * @param stacks the answer to a question for them; null where there was none
 * @param held null but where the container is kept from now on; what is reported after that
 * @param heldFor how long that is at most
 */
public record Heartbeat(
    String progress,
    UsageSample sample,
    boolean tensorBoardListens,
    String hangLocation,
    List<CheckpointOutcome> checkpointOutcomes,
    StackReport stacks,
    ProgramExit held,
    Duration heldFor) {
  /** That the executor lives, and no more. */
  public static final Heartbeat EMPTY = of(null, null);

  public static final Heartbeat TENSORBOARD_LISTENS =
      new Heartbeat(null, null, true, null, List.of(), null, null, null);

  /** Of a program that goes on; each is null where it is no new one. */
  public static Heartbeat of(String progress, UsageSample sample) {
    return new Heartbeat(progress, sample, false, null, List.of(), null, null, null);
  }

  public static Heartbeat ofHangLocation(String location) {
    return new Heartbeat(null, null, false, location, List.of(), null, null, null);
  }

  public static Heartbeat ofCheckpoint(CheckpointOutcome outcome) {
    return new Heartbeat(null, null, false, null, List.of(outcome), null, null, null);
  }

  public static Heartbeat ofStacks(StackReport report) {
    return new Heartbeat(null, null, false, null, List.of(), report, null, null);
  }

  /** The program has failed, and this will be reported when its container was kept for so long. */
  public static Heartbeat ofHold(ProgramExit held, Duration heldFor) {
    return new Heartbeat(null, null, false, null, List.of(), null, held, heldFor);
  }
}
