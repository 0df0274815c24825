package io.tony.am.machine;

import io.tony.fact.TaskFact;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * How a task's last attempt failed, and how often in a row its attempts have failed just so.
 *
 * @param failure what such failures have in common; empty for what another start may mend
 * @param step how far the job was, as {@link Futility#step} tells
 * @param start the number of the start that failed
 * @param begun when the present program began; null before it did
 * @param kept number of the newest checkpoint that all could go on from, when it failed
 */
record Fault(String failure, String step, int start, int times, Instant begun, long kept) {
  static final Fault NONE = new Fault("", "", 0, 0, null, KeptSets.NO_NUMBER);

  /** A program that has run for longer, and tells nobody how far it is, may have come further. */
  static final Duration EARLY = Duration.ofMinutes(2);

  /** By the signals that nothing but another process sends: 1, 2, 9 and 15. */
  private static final Set<Integer> FROM_OUTSIDE = Set.of(129, 130, 137, 143);

  /** Another program begins. */
  Fault beginning(Instant at) {
    return new Fault(failure, step, start, times, at, kept);
  }

  /**
   * That of a later start, which is the next one where nothing else was started between them. A
   * newer checkpoint tells that it came further than the one before.
   */
  Fault then(TaskFact.Failed failed, int itsStart, Instant at, long newest) {
    String next = failure(failed);
    if (next.isEmpty() || (failed.step().isEmpty() && !isEarly(at))) {
      return NONE;
    }
    boolean further = newest > kept;
    boolean same =
        itsStart == start + 1 && !further && next.equals(failure) && failed.step().equals(step);
    return new Fault(next, failed.step(), itsStart, same ? times + 1 : 1, null, newest);
  }

  private boolean isEarly(Instant at) {
    return begun == null || Duration.between(begun, at).compareTo(EARLY) < 0;
  }

  /** What is left of it for a larger container. */
  Fault withMoreMemory() {
    return failure.equals(FailureKind.MEMORY.name()) ? NONE : this;
  }

  private static String failure(TaskFact.Failed failed) {
    return switch (failed.kind()) {
      case MEMORY -> failed.kind().name();
      case PROGRAM -> ofTheProgram(failed);
      case LOST, PREEMPTED, INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> "";
    };
  }

  /**
   * A program that was ended, as one that hangs is, might not be another time; nor need another one
   * fail again that took this one down.
   */
  private static String ofTheProgram(TaskFact.Failed failed) {
    return failed.exitCode() == null
            || FROM_OUTSIDE.contains(failed.exitCode())
            || !Consequence.of(failed).isEmpty()
        ? ""
        : failed.exitCode() + " " + FailureCause.of(failed.stderr());
  }
}
