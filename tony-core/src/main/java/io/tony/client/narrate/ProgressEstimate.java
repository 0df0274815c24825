package io.tony.client.narrate;

import io.tony.client.output.DurationText;
import io.tony.metrics.ReportedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Tells when a program's end is to be expected, from the first line on that says {@linkplain
 * ReportedProgress how far} it is.
 */
final class ProgressEstimate {
  private static final Pattern ETA = Pattern.compile("\\beta\\b", Pattern.CASE_INSENSITIVE);

  private Instant firstAt;
  private double firstFraction;

  /** The line, with the time that is left where it can be told and the program does not say it. */
  String withEta(String line, Instant at) {
    OptionalDouble fraction = ReportedProgress.fraction(line);
    if (fraction.isEmpty() || ETA.matcher(line).find()) {
      return line;
    }
    if (firstAt == null || fraction.getAsDouble() < firstFraction) {
      firstAt = at;
      firstFraction = fraction.getAsDouble();
      return line;
    }
    double done = fraction.getAsDouble() - firstFraction;
    long millis = Duration.between(firstAt, at).toMillis();
    if (done <= 0 || millis <= 0) {
      return line;
    }
    long remainingSeconds = Math.round(millis * (1 - fraction.getAsDouble()) / done / 1000);
    return line + " eta " + DurationText.format(Duration.ofSeconds(remainingSeconds));
  }
}
