package io.tony.am.machine;

import io.tony.event.TaskFact;
import io.tony.failure.FailureSignature;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.time.Instant;

/**
 * How a task's last attempt failed, and how often in a row its attempts have failed just so.
 *
 * @param signature what such failures have in common; empty for what another start may mend
 * @param step how far the job was, as {@link RepeatedFailures#step} tells
 * @param startNumber the number of the start that failed
 * @param programStartedAt when the present program began; null before it did
 * @param checkpointNumber number of the newest checkpoint that all could go on from, when it failed
 * @param containerLoss how its container was lost, until its executor registers again; null where
 *     it was not
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

  /** Another program begins; null where it is only awaited. */
  FailureStreak withProgramStart(Instant at) {
    return new FailureStreak(
        signature, step, startNumber, failureCount, at, checkpointNumber, null);
  }

  /** Its container is lost. */
  FailureStreak withContainerLoss(TaskFact.Failed lost) {
    return new FailureStreak(
        signature, step, startNumber, failureCount, programStartedAt, checkpointNumber, lost);
  }

  /**
   * That of a later start, which is the next one where nothing else was started between them. A
   * newer checkpoint tells that it came further than the one before.
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

  /** What is left of it for a larger container. */
  FailureStreak withMoreMemory() {
    return signature.equals(FailureKind.MEMORY.name()) ? NONE : this;
  }
}
