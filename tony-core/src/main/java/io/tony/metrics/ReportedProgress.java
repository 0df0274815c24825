package io.tony.metrics;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a program is, by a line that it writes: {@code 1200/10000}, {@code 12 %} or {@code step
 * 1200}, wherever in the line; a date is none of them. The page in Azkaban reads a fraction in the
 * same way (job.js).
 *
 * @param total where it ends, in what {@code done} counts; not a number where the line does not
 *     tell
 */
public record ReportedProgress(double done, double total) {
  /** Two numbers, and no third that would make them a date, or a name that makes them a path. */
  private static final Pattern RATIO =
      Pattern.compile(
          "(?<![\\w./-])(\\d+(?:\\.\\d+)?)\\s*/\\s*(\\d+(?:\\.\\d+)?)(?!\\w|\\.\\d|\\s*/|-\\d)");

  /** At the start of a line, a date without a year is told by the time that follows it. */
  private static final Pattern TIMESTAMP =
      Pattern.compile("^\\W*(?:\\d{1,4}[-/])?\\d{1,2}[-/]\\d{1,4}[ T]+\\d{1,2}:\\d{2}\\S*");

  private static final Pattern PERCENT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*%");

  private static final Pattern STEP =
      Pattern.compile(
          "(?<!\\w)(?:global[_ ])?(?:step|iteration|iter)\\s*[:=#]?\\s*(\\d{1,15})(?![\\w.])",
          Pattern.CASE_INSENSITIVE);

  /** What the line tells, if it does. */
  public static Optional<ReportedProgress> parse(String line) {
    String text = TIMESTAMP.matcher(line).replaceFirst("");
    Matcher ratio = RATIO.matcher(text);
    while (ratio.find()) {
      ReportedProgress progress =
          new ReportedProgress(
              Double.parseDouble(ratio.group(1)), Double.parseDouble(ratio.group(2)));
      if (progress.total > 0 && !Double.isNaN(progress.done / progress.total)) {
        return Optional.of(progress); // of hundreds of digits, it is not a number
      }
    }
    Matcher percent = PERCENT.matcher(text);
    if (percent.find()) {
      return Optional.of(new ReportedProgress(Double.parseDouble(percent.group(1)), 100));
    }
    Matcher step = STEP.matcher(text);
    return step.find()
        ? Optional.of(new ReportedProgress(Double.parseDouble(step.group(1)), Double.NaN))
        : Optional.empty();
  }

  /** Of the whole, 0 to 1, where the line tells it. */
  public static OptionalDouble fraction(String line) {
    return parse(line).map(ReportedProgress::fraction).orElse(OptionalDouble.empty());
  }

  /** Of the whole, 0 to 1; none where that is not told. */
  public OptionalDouble fraction() {
    return hasTotal() ? OptionalDouble.of(Math.min(1, done / total)) : OptionalDouble.empty();
  }

  public boolean hasTotal() {
    return !Double.isNaN(total);
  }
}
