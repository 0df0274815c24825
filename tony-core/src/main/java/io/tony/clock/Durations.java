package io.tony.clock;

import java.time.Duration;

/** Helpers for waits that have several limits, or none. */
public final class Durations {
  /**
   * Timeout for a wait without a limit: callers wake up once a day, check their condition and wait
   * again.
   */
  public static final Duration NO_LIMIT = Duration.ofDays(1);

  private Durations() {}

  public static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
