package io.tony.am.loop;

import io.tony.am.machine.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The timers of the event loop that are set, with their due times. Due times are values of a
 * monotonic clock in nanoseconds. Not thread-safe.
 */
final class Timers {
  private final Map<Timer, Long> dueAtNanos = new HashMap<>();

  void set(Timer timer, long nowNanos, Duration delay) {
    dueAtNanos.put(timer, nowNanos + delay.toNanos());
  }

  void cancel(Timer timer) {
    dueAtNanos.remove(timer);
  }

  /** Returns the timer that is due first; null if none is set. */
  @Nullable Timer nextDue() {
    Map.Entry<Timer, Long> first = null;
    for (Map.Entry<Timer, Long> timer : dueAtNanos.entrySet()) {
      if (first == null || timer.getValue() - first.getValue() < 0) {
        first = timer;
      }
    }
    return first == null ? null : first.getKey();
  }

  /**
   * Returns the nanoseconds until the timer is due; negative if it is overdue. The timer must have
   * been set.
   */
  long nanosUntil(Timer timer, long nowNanos) {
    return Objects.requireNonNull(dueAtNanos.get(timer)) - nowNanos;
  }
}
