package io.tony.metrics;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Progress that a program reports in a line, in one of these forms anywhere in the line: {@code
 * 1200/10000}, {@code 12 %} or {@code step 1200}. Dates are not progress. The job's page in Azkaban
 * parses fractions in the same way (job.js).
 *
 * @param done completed part, in the unit of {@code total}
 * @param total the whole; NaN if the line does not contain it
 */
public record ReportedProgress(double done, double total) {
  /**
   * Two numbers with a slash between them that are neither part of a date, which has three numbers,
   * nor of a path, which has names.
   */
  private static final Pattern RATIO =
      Pattern.compile(
          "(?<![\\w./-])(\\d+(?:\\.\\d+)?)\\s*/\\s*(\\d+(?:\\.\\d+)?)(?!\\w|\\.\\d|\\s*/|-\\d)");

  /**
   * A date and time at the start of a line. A date without a year is recognized by the time after
   * it.
   */
  private static final Pattern TIMESTAMP =
      Pattern.compile("^\\W*(?:\\d{1,4}[-/])?\\d{1,2}[-/]\\d{1,4}[ T]+\\d{1,2}:\\d{2}\\S*");

  private static final Pattern PERCENT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*%");

  private static final Pattern STEP =
      Pattern.compile(
          "(?<!\\w)(?:global[_ ])?(?:step|iteration|iter)\\s*[:=#]?\\s*(\\d{1,15})(?![\\w.])",
          Pattern.CASE_INSENSITIVE);

  /** Returns the progress in the line; empty if the line contains none. */
  public static Optional<ReportedProgress> parse(String line) {
    String text = TIMESTAMP.matcher(line).replaceFirst("");
    Matcher ratio = RATIO.matcher(text);
    while (ratio.find()) {
      ReportedProgress progress =
          new ReportedProgress(
              Double.parseDouble(ratio.group(1)), Double.parseDouble(ratio.group(2)));
      if (progress.total > 0 && !Double.isNaN(progress.done / progress.total)) {
        // The fraction is NaN if both numbers have hundreds of digits; such a line has no progress.
        return Optional.of(progress);
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

  /** Returns the completed fraction in the line, 0 to 1; empty if the line contains none. */
  public static OptionalDouble fraction(String line) {
    return parse(line).map(ReportedProgress::fraction).orElse(OptionalDouble.empty());
  }

  /** Returns the completed fraction, 0 to 1; empty if the whole is not known. */
  public OptionalDouble fraction() {
    return hasTotal() ? OptionalDouble.of(Math.min(1, done / total)) : OptionalDouble.empty();
  }

  public boolean hasTotal() {
    return !Double.isNaN(total);
  }
}
