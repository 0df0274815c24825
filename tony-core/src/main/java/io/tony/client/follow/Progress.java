package io.tony.client.follow;

import io.tony.model.Fraction;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Reads how far a program is from what it writes ({@link Fraction}). From the first such line on it
 * can tell when the end is to be expected.
 */
final class Progress {
  private static final Pattern ETA = Pattern.compile("\\beta\\b", Pattern.CASE_INSENSITIVE);

  private Instant firstAt;
  private double first;

  /** How far the program is, 0 to 1, where the line tells. */
  static OptionalDouble fraction(String line) {
    return Fraction.of(line);
  }

  /** The line, with the time that is left where it can be told and the program does not say it. */
  String withEta(String line, Instant at) {
    OptionalDouble fraction = fraction(line);
    if (fraction.isEmpty() || ETA.matcher(line).find()) {
      return line;
    }
    if (firstAt == null || fraction.getAsDouble() < first) {
      firstAt = at;
      first = fraction.getAsDouble();
      return line;
    }
    double done = fraction.getAsDouble() - first;
    long millis = Duration.between(firstAt, at).toMillis();
    if (done <= 0 || millis <= 0) {
      return line;
    }
    long left = Math.round(millis * (1 - fraction.getAsDouble()) / done / 1000);
    return line + " eta " + Durations.text(Duration.ofSeconds(left));
  }
}
