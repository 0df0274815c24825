package io.tony.eventlog;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * Parses the times of events, faster than {@link Instant#parse} does. The speed matters because
 * readers parse the time of every event, and logs can be long.
 */
final class UtcTime {
  private static final String PATTERN = "dddd-dd-ddTdd:dd:dd.ddddddddd"; // d: any digit
  private static final int SECONDS_END = PATTERN.indexOf('.');

  private UtcTime() {}

  /**
   * Returns the instant that {@link Instant#parse} returns for {@code text}.
   *
   * @throws DateTimeException if the text is not a time
   */
  static Instant parse(String text) {
    if (hasUsualForm(text)) {
      try {
        return parseUsualForm(text).toInstant(ZoneOffset.UTC);
      } catch (DateTimeException e) {
        // Not an error yet: Instant.parse also accepts, for example, the hour 24:00 and leap
        // seconds.
      }
    }
    return Instant.parse(text);
  }

  /**
   * Returns true if {@code text} has the form in which TonY writes times, with or without a
   * fraction of a second.
   */
  private static boolean hasUsualForm(String text) {
    int end = text.length() - 1;
    if (end < SECONDS_END || end > PATTERN.length() || text.charAt(end) != 'Z') {
      return false;
    }
    for (int i = 0; i < end; i++) {
      char letter = text.charAt(i);
      char wanted = PATTERN.charAt(i);
      if (wanted == 'd' ? letter < '0' || letter > '9' : letter != wanted) {
        return false;
      }
    }
    return true;
  }

  private static LocalDateTime parseUsualForm(String text) {
    return LocalDateTime.of(
        number(text, 0, 4),
        number(text, 5, 7),
        number(text, 8, 10),
        number(text, 11, 13),
        number(text, 14, 16),
        number(text, 17, 19),
        number(text, 20, PATTERN.length()));
  }

  /**
   * Returns the number that the digits between two indices form; digits that are missing at the end
   * of the text count as zeros.
   */
  private static int number(String text, int begin, int end) {
    int number = 0;
    for (int i = begin; i < end; i++) {
      number = number * 10 + (i < text.length() - 1 ? text.charAt(i) - '0' : 0);
    }
    return number;
  }
}
