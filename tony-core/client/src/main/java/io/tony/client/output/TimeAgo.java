package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Formats points in time for users: {@code 2m 5s ago (2026-11-27 12:00:05)}. */
public final class TimeAgo {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private TimeAgo() {}

  /** Returns how long ago {@code at} was, and {@code at} itself in this time zone. */
  public static String format(Instant at, Instant now, ZoneId zone) {
    Duration age = Duration.between(at, now);
    // The age is negative if the clock of the machine that recorded the time is ahead of this
    // machine's.
    String ago = age.toSeconds() < 1 ? "just now" : length(age) + " ago";
    return ago + " (" + TIME.format(at.atZone(zone)) + ")";
  }

  private static String length(Duration age) {
    return age.toDays() > 1
        ? age.toDays() + " days"
        : DurationText.format(age.truncatedTo(ChronoUnit.SECONDS));
  }
}
