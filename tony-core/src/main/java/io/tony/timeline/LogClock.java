package io.tony.timeline;

import io.tony.model.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;

/**
 * The times of a log as if one clock had told them, event by event: they never go back, and are
 * whole milliseconds. A later ApplicationMaster's clock that is behind the one before is moved by
 * what it is behind at least.
 */
final class LogClock {
  /** A difference that is not worth a remark, nor a correction of what comes after it. */
  static final Duration SMALL = Duration.ofSeconds(1);

  private final Consumer<String> remarks;
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
    if (last != null && at.isBefore(last)) {
      Duration back = Duration.between(at, last);
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
      at = last;
    }
    last = at;
    return new JobEvent(at, event.type(), event.session(), event.task(), event.details());
  }
}
