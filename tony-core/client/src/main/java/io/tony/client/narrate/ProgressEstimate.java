package io.tony.client.narrate;

import io.tony.client.output.DurationText;
import io.tony.metrics.ReportedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the remaining time of a user program from the {@linkplain ReportedProgress progress}
 * that it prints and the time since the first such line.
 */
final class ProgressEstimate {
  private static final Pattern ETA = Pattern.compile("\\beta\\b", Pattern.CASE_INSENSITIVE);

  private @Nullable Instant firstAt; // time of the first progress; null before it
  private double firstFraction;

  /**
   * Returns the line, followed by the estimated remaining time if that is known and the line
   * contains none.
   *
   * @param at when the program printed the line
   */
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
