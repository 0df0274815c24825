package io.tony.executor.rpc;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * @param hold set if the container is held from now on; else null
 */
public record Heartbeat(
    @Nullable String progress,
    @Nullable UsageSample sample,
    boolean tensorBoardListens,
    @Nullable String hangLocation,
    List<CheckpointOutcome> checkpointOutcomes,
    @Nullable StackReport stacks,
    @Nullable Hold hold) {
  /**
   * The container of a failed program is held before its exit is reported.
   *
   * @param exit the exit that will be reported after the hold
   * @param limit maximum duration of the hold
   */
  public record Hold(ProgramExit exit, Duration limit) {}

  public static final Heartbeat EMPTY = of(null, null);

  public static final Heartbeat TENSORBOARD_LISTENS =
      new Heartbeat(null, null, true, null, List.of(), null, null);

  /**
   * Returns a heartbeat of a running program.
   *
   * @param progress null if unchanged
   * @param sample null if there is no new sample
   */
  public static Heartbeat of(@Nullable String progress, @Nullable UsageSample sample) {
    return new Heartbeat(progress, sample, false, null, List.of(), null, null);
  }

  public static Heartbeat ofHangLocation(String location) {
    return new Heartbeat(null, null, false, location, List.of(), null, null);
  }

  public static Heartbeat ofCheckpoint(CheckpointOutcome outcome) {
    return new Heartbeat(null, null, false, null, List.of(outcome), null, null);
  }

  public static Heartbeat ofStacks(StackReport report) {
    return new Heartbeat(null, null, false, null, List.of(), report, null);
  }

  /**
   * Returns a heartbeat that says that the container of a failed program is held before its exit is
   * reported.
   */
  public static Heartbeat ofHold(ProgramExit held, Duration heldFor) {
    return new Heartbeat(null, null, false, null, List.of(), null, new Hold(held, heldFor));
  }
}
