package io.tony.clock;

import java.time.Duration;

/** Helpers for waits that have several time limits, or none. */
public final class Durations {
  /**
   * Timeout that stands for "no time limit". A caller whose wait ends after this time checks its
   * condition and waits again.
   */
  public static final Duration NO_LIMIT = Duration.ofDays(1);

  private Durations() {}

  public static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
