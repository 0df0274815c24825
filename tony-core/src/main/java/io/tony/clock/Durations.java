package io.tony.clock;

import java.time.Duration;

/** How long to wait where several limits count, or none. */
public final class Durations {
  /** For a wait that nothing limits: whoever waits so long looks again. */
  public static final Duration NO_LIMIT = Duration.ofDays(1);

  private Durations() {}

  public static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
