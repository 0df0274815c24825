package io.tony.am.machine;

import io.tony.event.TaskFact;
import io.tony.failure.FailureSignature;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Successive failures of a task that are alike: with the same signature at the same step.
 * Immutable.
 *
 * @param signature what the failures have in common (see {@link FailureSignature}); empty if there
 *     is no streak, for example after a failure that a restart may fix
 * @param step how far the job was at each failure; see {@link RepeatedFailures#step}
 * @param startNumber number of that start of the task's program that failed last; two failures are
 *     successive if their numbers are
 * @param failureCount number of failures in the streak
 * @param programStartedAt when the current program started; null before its start is reported
 * @param checkpointNumber at the last failure, number of the newest checkpoint that the next start
 *     could resume from
 * @param containerLoss how the task's container was lost, until the executor in the next container
 *     registers; null if it was not lost
 */
record FailureStreak(
    String signature,
    String step,
    int startNumber,
    int failureCount,
    @Nullable Instant programStartedAt,
    long checkpointNumber,
    TaskFact.@Nullable Failed containerLoss) {
  static final FailureStreak NONE =
      new FailureStreak("", "", 0, 0, null, CheckpointState.NO_NUMBER, null);

  /**
   * Returns a copy for the task's next program. Drops {@code containerLoss}, because the executor
   * in the next container has registered.
   *
   * @param at when the program started; null if its executor has registered and the program's start
   *     is not reported yet
   */
  FailureStreak withProgramStart(@Nullable Instant at) {
    return new FailureStreak(
        signature, step, startNumber, failureCount, at, checkpointNumber, null);
  }

  /** Returns a copy that notes how the task's container was lost. */
  FailureStreak withContainerLoss(TaskFact.Failed lost) {
    return new FailureStreak(
        signature, step, startNumber, failureCount, programStartedAt, checkpointNumber, lost);
  }

  /**
   * Returns the streak that includes this new failure of the task. The failure continues this
   * streak if it has the same signature and step, happened in the start directly after that of the
   * last failure, and no newer checkpoint was saved in between; otherwise it begins a new streak.
   * Returns {@link #NONE} if the failure has no signature, or if the job reported no step and the
   * program had run longer than {@link FailureSignature#MAX_EARLY_RUN_TIME}: a restart may fix such
   * a failure.
   *
   * @param nextStartNumber number of the start that failed
   * @param at when it failed
   * @param newestCheckpoint number of the newest checkpoint that the next start can resume from
   */
  FailureStreak extendedBy(
      TaskFact.Failed failed, int nextStartNumber, Instant at, long newestCheckpoint) {
    String nextSignature = FailureSignature.of(failed);
    if (nextSignature.isEmpty() || (failed.step().isEmpty() && !isEarly(at))) {
      return NONE;
    }
    boolean further = newestCheckpoint > checkpointNumber;
    boolean same =
        nextStartNumber == startNumber + 1
            && !further
            && nextSignature.equals(signature)
            && failed.step().equals(step);
    return new FailureStreak(
        nextSignature,
        failed.step(),
        nextStartNumber,
        same ? failureCount + 1 : 1,
        null,
        newestCheckpoint,
        null);
  }

  private boolean isEarly(Instant at) {
    return programStartedAt == null
        || Duration.between(programStartedAt, at).compareTo(FailureSignature.MAX_EARLY_RUN_TIME)
            < 0;
  }

  /**
   * Returns the streak for a restart with more memory: {@link #NONE} if the failures were due to a
   * lack of memory; this streak otherwise.
   */
  FailureStreak afterMemoryIncrease() {
    return signature.equals(FailureKind.MEMORY.name()) ? NONE : this;
  }
}
