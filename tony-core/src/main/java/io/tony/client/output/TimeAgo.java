package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** A point in time as people read it: {@code 2m 5s ago (2026-11-27 12:00:05)}. */
public final class TimeAgo {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  private TimeAgo() {}

  /** How long ago it was, in whole seconds, and when by the clocks of this zone. */
  public static String text(Instant at, Instant now, ZoneId zone) {
    Duration age = Duration.between(at, now);
    // The clock of another machine may be ahead of this one's.
    String ago = age.toSeconds() < 1 ? "just now" : length(age) + " ago";
    return ago + " (" + TIME.format(at.atZone(zone)) + ")";
  }

  private static String length(Duration age) {
    return age.toDays() > 1
        ? age.toDays() + " days"
        : DurationText.format(age.truncatedTo(ChronoUnit.SECONDS));
  }
}
