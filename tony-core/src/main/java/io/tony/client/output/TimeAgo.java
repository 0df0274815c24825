package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Formats points in time for people: {@code 2m 5s ago (2026-11-27 12:00:05)}. */
public final class TimeAgo {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private TimeAgo() {}

  /** Returns the age in whole seconds, and the time in this time zone. */
  public static String format(Instant at, Instant now, ZoneId zone) {
    Duration age = Duration.between(at, now);
    // The age is negative if the other machine's clock is ahead of this one's.
    String ago = age.toSeconds() < 1 ? "just now" : length(age) + " ago";
    return ago + " (" + TIME.format(at.atZone(zone)) + ")";
  }

  private static String length(Duration age) {
    return age.toDays() > 1
        ? age.toDays() + " days"
        : DurationText.format(age.truncatedTo(ChronoUnit.SECONDS));
  }
}
