package io.tony.timeline;

import io.tony.model.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The times of a log as if one clock had told them, event by event: they never go back, and are
 * whole milliseconds. A later ApplicationMaster's clock that is behind the one before is moved by
 * what it is behind at least. Events that no decision tells come from threads that may have waited
 * long since they looked at the clock: they move nothing.
 */
final class LogClock {
  /** A difference that is not worth a remark, nor a correction of what comes after it. */
  static final Duration MIN_CORRECTION = Duration.ofSeconds(1);

  private static final Set<JobEvent.Type> UNORDERED_TYPES =
      EnumSet.of(
          JobEvent.Type.METRICS,
          JobEvent.Type.STRAGGLER,
          JobEvent.Type.LOG_BEHIND,
          JobEvent.Type.LOG_CAUGHT_UP);

  private final Consumer<String> remarks;
  private Instant lastDecision; // the time of the last decision
  private Instant last;
  private Duration shift = Duration.ZERO;

  /**
   * @param remarks takes a sentence for each correction that is worth one
   */
  LogClock(Consumer<String> remarks) {
    this.remarks = remarks;
  }

  /** The same event at its time by the one clock. */
  JobEvent corrected(JobEvent event) {
    if (event.type() == JobEvent.Type.AM_STARTED) {
      shift = Duration.ZERO; // another clock
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
      // Less is two threads that took their times and wrote in another order.
      if (back.compareTo(MIN_CORRECTION) >= 0) {
        shift = shift.plus(back);
        remarks.accept(
            "from "
                + event.type()
                + " at "
                + event.time()
                + " on, the master's clock is "
                + DurationText.format(back)
                + " or more behind the one before; later times are moved by that");
      }
      return lastDecision;
    }
    return at;
  }
}
