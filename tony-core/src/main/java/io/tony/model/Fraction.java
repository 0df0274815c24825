package io.tony.model;

import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a program is, as its progress line tells: {@code 1200/10000} or {@code 12 %}, wherever in
 * the line; a date is neither.
 */
public final class Fraction {
  /** Two numbers, and no third that would make them a date, or a name that makes them a path. */
  private static final Pattern RATIO =
      Pattern.compile(
          "(?<![\\w./-])(\\d+(?:\\.\\d+)?)\\s*/\\s*(\\d+(?:\\.\\d+)?)(?!\\w|\\.\\d|\\s*/|-\\d)");

  /** At the start of a line, a date without a year is told by the time that follows it. */
  private static final Pattern TIMESTAMP =
      Pattern.compile("^\\W*(?:\\d{1,4}[-/])?\\d{1,2}[-/]\\d{1,4}[ T]+\\d{1,2}:\\d{2}\\S*");

  private static final Pattern PERCENT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*%");

  private Fraction() {}

  /** From 0 to 1; nothing where the line tells none. */
  public static OptionalDouble of(String line) {
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
}
