package io.tony.executor.rpc;

import java.time.Duration;
import java.util.List;

/**
 * Content of a heartbeat.
 *
 * @param progress last line of the program's progress file; null if unchanged since the previous
 *     heartbeat
 * @param sample usage of resources; null if there is no new sample
 * @param tensorBoardListens whether the program accepts connections at TensorBoard's port
 * @param hangLocation where the program was when a restart command ended it; null if the command
 *     requested no stacks
 * @param checkpointOutcomes outcomes of checkpoint uploads since the previous heartbeat
 * @param stacks answer to a stacks request; null for none
 * @param heldExit if the container is held from now on, the exit that will be reported after the
 *     hold; else null
 * @param heldFor maximum duration of the hold; null if {@code heldExit} is null
 */
public record Heartbeat(
    String progress,
    UsageSample sample,
    boolean tensorBoardListens,
    String hangLocation,
    List<CheckpointOutcome> checkpointOutcomes,
    StackReport stacks,
    ProgramExit heldExit,
    Duration heldFor) {
  public static final Heartbeat EMPTY = of(null, null);

  public static final Heartbeat TENSORBOARD_LISTENS =
      new Heartbeat(null, null, true, null, List.of(), null, null, null);

  /**
   * Returns a heartbeat of a running program.
   *
   * @param progress null if unchanged
   * @param sample null if there is no new sample
   */
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

  /**
   * Returns a heartbeat that says that the container of a failed program is held before its exit is
   * reported.
   */
  public static Heartbeat ofHold(ProgramExit held, Duration heldFor) {
    return new Heartbeat(null, null, false, null, List.of(), null, held, heldFor);
  }
}
