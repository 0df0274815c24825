package io.tony.timeline;

import java.time.Duration;
import java.util.Locale;

/**
 * Formats durations with three digits, so that they can be compared: {@code 0.43 s}, {@code 12.3
 * s}.
 */
public final class PreciseDuration {
  private PreciseDuration() {}

  public static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis < 10_000) {
      // Round down, so that a duration below ten seconds never appears as "10.00 s".
      return String.format(Locale.ROOT, "%.2f s", Math.floor(millis / 10.0) / 100);
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.1f s", Math.floor(millis / 100.0) / 10);
    }
    long seconds = duration.toSeconds();
    if (seconds < 3_600) {
      return seconds / 60 + "m " + seconds % 60 + "s";
    }
    if (seconds < 86_400) {
      return seconds / 3_600 + "h " + seconds % 3_600 / 60 + "m";
    }
    return seconds / 86_400 + "d " + seconds % 86_400 / 3_600 + "h";
  }
}
