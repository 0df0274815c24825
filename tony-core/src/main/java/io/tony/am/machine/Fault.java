package io.tony.am.machine;

import io.tony.fact.TaskFact;
import io.tony.failure.FailureSignature;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.time.Instant;

/**
 * How a task's last attempt failed, and how often in a row its attempts have failed just so.
 *
 * @param failure what such failures have in common; empty for what another start may mend
 * @param step how far the job was, as {@link Futility#step} tells
 * @param start the number of the start that failed
 * @param begun when the present program began; null before it did
 * @param kept number of the newest checkpoint that all could go on from, when it failed
 * @param loss how its container was lost, until its executor registers again; null where it was not
 */
record Fault(
    String failure,
    String step,
    int start,
    int times,
    Instant begun,
    long kept,
    TaskFact.Failed loss) {
  static final Fault NONE = new Fault("", "", 0, 0, null, KeptSets.NO_NUMBER, null);

  /** Another program begins; null where it is only awaited. */
  Fault beginning(Instant at) {
    return new Fault(failure, step, start, times, at, kept, null);
  }

  /** Its container is lost. */
  Fault losing(TaskFact.Failed lost) {
    return new Fault(failure, step, start, times, begun, kept, lost);
  }

  /**
   * That of a later start, which is the next one where nothing else was started between them. A
   * newer checkpoint tells that it came further than the one before.
   */
  Fault then(TaskFact.Failed failed, int itsStart, Instant at, long newest) {
    String next = FailureSignature.of(failed);
    if (next.isEmpty() || (failed.step().isEmpty() && !isEarly(at))) {
      return NONE;
    }
    boolean further = newest > kept;
    boolean same =
        itsStart == start + 1 && !further && next.equals(failure) && failed.step().equals(step);
    return new Fault(next, failed.step(), itsStart, same ? times + 1 : 1, null, newest, null);
  }

  private boolean isEarly(Instant at) {
    return begun == null || Duration.between(begun, at).compareTo(FailureSignature.EARLY) < 0;
  }

  /** What is left of it for a larger container. */
  Fault withMoreMemory() {
    return failure.equals(FailureKind.MEMORY.name()) ? NONE : this;
  }
}
