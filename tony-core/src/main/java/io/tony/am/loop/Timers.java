package io.tony.am.loop;

import io.tony.am.machine.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The timers that are set, by a clock that nobody can set and that only goes forward. For one
 * thread.
 */
final class Timers {
  private final Map<Timer, Long> dueAtNanos = new HashMap<>();

  void set(Timer timer, long nowNanos, Duration delay) {
    dueAtNanos.put(timer, nowNanos + delay.toNanos());
  }

  void cancel(Timer timer) {
    dueAtNanos.remove(timer);
  }

  /** The one that is due first; null when none is set. */
  Timer nextDue() {
    Timer first = null;
    for (Map.Entry<Timer, Long> timer : dueAtNanos.entrySet()) {
      if (first == null || timer.getValue() - dueAtNanos.get(first) < 0) {
        first = timer.getKey();
      }
    }
    return first;
  }

  /** How long it is until one that is set is due; negative when it was due before. */
  long nanosUntil(Timer timer, long nowNanos) {
    return dueAtNanos.get(timer) - nowNanos;
  }
}
