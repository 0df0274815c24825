package io.tony.timeline;

import io.tony.model.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Corrects the times of a log's events, in log order, so that they never decrease, and truncates
 * them to milliseconds. If the clock of a later ApplicationMaster is behind the clock of the
 * previous one, the later times are shifted by the minimum that corrects this. Events that belong
 * to no decision do not cause a shift: the threads that record them may have read the clock much
 * earlier.
 */
final class LogClock {
  /**
   * Minimum time by which an event must precede the previous decision for a shift: the times of
   * this event and of the later ones are then shifted, and a remark is made.
   */
  static final Duration MIN_CORRECTION = Duration.ofSeconds(1);

  private static final Set<JobEvent.Type> UNORDERED_TYPES =
      EnumSet.of(
          JobEvent.Type.METRICS,
          JobEvent.Type.STRAGGLER,
          JobEvent.Type.LOG_BEHIND,
          JobEvent.Type.LOG_CAUGHT_UP);

  private final Consumer<String> remarks;
  // Corrected time of the last event that belongs to a decision; null if there was none.
  private @Nullable Instant lastDecision;
  private @Nullable Instant last;
  private Duration shift = Duration.ZERO;

  /**
   * {@code remarks} receives a message for the user each time the times of later events are
   * shifted.
   */
  LogClock(Consumer<String> remarks) {
    this.remarks = remarks;
  }

  /** Returns a copy of {@code event}, the next event of the log, with its corrected time. */
  JobEvent corrected(JobEvent event) {
    if (event.type() == JobEvent.Type.AM_STARTED) {
      // Another ApplicationMaster has started; its clock may need another shift, or none.
      shift = Duration.ZERO;
    }
    Instant at = event.time().truncatedTo(ChronoUnit.MILLIS).plus(shift);
    if (!UNORDERED_TYPES.contains(event.type())) {
      at = decisionTime(event, at);
      lastDecision = at;
    }
    last = last == null || at.isAfter(last) ? at : last;
    return new JobEvent(last, event.type(), event.session(), event.task(), event.details());
  }

  private Instant decisionTime(JobEvent event, Instant at) {
    if (lastDecision != null && at.isBefore(lastDecision)) {
      Duration back = Duration.between(at, lastDecision);
      // Ignore a smaller difference: it arises when two threads read the clock in one order and
      // record their events in the other.
      if (back.compareTo(MIN_CORRECTION) >= 0) {
        shift = shift.plus(back);
        remarks.accept(
            "from "
                + event.type()
                + " at "
                + event.time()
                + " on, the master's clock is "
                + PreciseDuration.format(back)
                + " or more behind the one before; later times are moved by that");
      }
      return lastDecision;
    }
    return at;
  }
}
