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
  static final Duration SMALL = Duration.ofSeconds(1);

  private static final Set<JobEvent.Type> ASIDE =
      EnumSet.of(
          JobEvent.Type.METRICS,
          JobEvent.Type.STRAGGLER,
          JobEvent.Type.LOG_BEHIND,
          JobEvent.Type.LOG_CAUGHT_UP);

  private final Consumer<String> remarks;
  private Instant decided; // the time of the last decision
  private Instant last;
  private Duration shift = Duration.ZERO;

  /**
   * @param remarks takes a sentence for each correction that is worth one
   */
  LogClock(Consumer<String> remarks) {
    this.remarks = remarks;
  }

  /** The same event at its time by the one clock. */
  JobEvent straight(JobEvent event) {
    if (event.type() == JobEvent.Type.AM_STARTED) {
      shift = Duration.ZERO; // another clock
    }
    Instant at = event.time().truncatedTo(ChronoUnit.MILLIS).plus(shift);
    if (!ASIDE.contains(event.type())) {
      at = decided(event, at);
      decided = at;
    }
    last = last == null || at.isAfter(last) ? at : last;
    return new JobEvent(last, event.type(), event.session(), event.task(), event.details());
  }

  private Instant decided(JobEvent event, Instant at) {
    if (decided != null && at.isBefore(decided)) {
      Duration back = Duration.between(at, decided);
      // Less is two threads that took their times and wrote in another order.
      if (back.compareTo(SMALL) >= 0) {
        shift = shift.plus(back);
        remarks.accept(
            "from "
                + event.type()
                + " at "
                + event.time()
                + " on, the master's clock is "
                + Lengths.text(back)
                + " or more behind the one before; later times are moved by that");
      }
      return decided;
    }
    return at;
  }
}
