package io.tony.client.output;

import java.time.Duration;

/** Formats durations for users: {@code 42 s}, {@code 4m 10s}, {@code 2h 5m}. */
public final class DurationText {
  private DurationText() {}

  public static String format(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 10 && duration.toMillis() % 1000 != 0) {
      return seconds + "." + duration.toMillisPart() / 100 + " s";
    }
    if (seconds < 60) {
      return seconds + " s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m " + seconds % 60 + "s";
    }
    return seconds / 3600 + "h " + seconds % 3600 / 60 + "m";
  }
}
