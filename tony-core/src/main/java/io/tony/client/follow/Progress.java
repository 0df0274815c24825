package io.tony.client.follow;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads how far a program is from what it writes: {@code 1200/10000} or {@code 12 %}, wherever in
 * the line; a date is neither. From the first such line on it can tell when the end is to be
 * expected.
 */
final class Progress {
  /** Two numbers, and no third that would make them a date, or a name that makes them a path. */
  private static final Pattern RATIO =
      Pattern.compile(
          "(?<![\\w./-])(\\d+(?:\\.\\d+)?)\\s*/\\s*(\\d+(?:\\.\\d+)?)(?!\\w|\\.\\d|\\s*/|-\\d)");

  /** At the start of a line, a date without a year is told by the time that follows it. */
  private static final Pattern TIMESTAMP =
      Pattern.compile("^\\W*(?:\\d{1,4}[-/])?\\d{1,2}[-/]\\d{1,4}[ T]+\\d{1,2}:\\d{2}\\S*");

  private static final Pattern PERCENT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*%");

  private static final Pattern ETA = Pattern.compile("\\beta\\b", Pattern.CASE_INSENSITIVE);

  private Instant firstAt;
  private double first;

  /** How far the program is, 0 to 1, where the line tells. */
  static OptionalDouble fraction(String line) {
    String text = TIMESTAMP.matcher(line).replaceFirst("");
    Matcher ratio = RATIO.matcher(text);
    while (ratio.find()) {
      double whole = Double.parseDouble(ratio.group(2));
      double fraction = Double.parseDouble(ratio.group(1)) / whole;
      if (whole > 0 && !Double.isNaN(fraction)) { // of hundreds of digits, it is
        return bounded(fraction);
      }
    }
    Matcher percent = PERCENT.matcher(text);
    return percent.find()
        ? bounded(Double.parseDouble(percent.group(1)) / 100)
        : OptionalDouble.empty();
  }

  private static OptionalDouble bounded(double fraction) {
    return OptionalDouble.of(Math.min(1, fraction));
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
