package io.tony.am.machine;

import io.tony.event.TaskFact;
import io.tony.failure.FailureSignature;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.time.Instant;

/**
 * Consecutive failures of a task's attempts with the same signature at the same step.
 *
 * @param signature what the failures have in common; empty for a failure that a restart may fix
 * @param step how far the job was at the failure; see {@link RepeatedFailures#step}
 * @param startNumber number of the start that failed last
 * @param failureCount number of consecutive equal failures
 * @param programStartedAt start of the current program; null before it started
 * @param checkpointNumber number of the newest checkpoint that the next start could resume from, at
 *     the time of the failure
 * @param containerLoss how the task's container was lost, until the executor of its next container
 *     registers; null if it was not lost
 */
record FailureStreak(
    String signature,
    String step,
    int startNumber,
    int failureCount,
    Instant programStartedAt,
    long checkpointNumber,
    TaskFact.Failed containerLoss) {
  static final FailureStreak NONE =
      new FailureStreak("", "", 0, 0, null, CheckpointState.NO_NUMBER, null);

  /** Returns a copy for a new program; {@code at} is null while the program is only awaited. */
  FailureStreak withProgramStart(Instant at) {
    return new FailureStreak(
        signature, step, startNumber, failureCount, at, checkpointNumber, null);
  }

  /** Returns a copy with the loss of the task's container. */
  FailureStreak withContainerLoss(TaskFact.Failed lost) {
    return new FailureStreak(
        signature, step, startNumber, failureCount, programStartedAt, checkpointNumber, lost);
  }

  /**
   * Returns the streak after the failure of a later start. The streak continues only if the start
   * is the next one, failed equally, and no newer checkpoint shows that it came further.
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

  /** Returns the part of the streak that still counts in a larger container. */
  FailureStreak afterMemoryIncrease() {
    return signature.equals(FailureKind.MEMORY.name()) ? NONE : this;
  }
}
