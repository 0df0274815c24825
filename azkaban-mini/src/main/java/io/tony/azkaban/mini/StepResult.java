package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of one job of a flow.
 *
 * @param name the job's name; inside an embedded flow {@code flow:job}
 * @param type the job's type, such as {@code tony}
 * @param status the job's final status; {@code CANCELLED} if the job did not run because an earlier
 *     job failed
 * @param attempts the job's attempts in order; empty if the job never ran
 * @param outputProperties the properties that the last attempt wrote to the file {@code
 *     JOB_OUTPUT_PROP_FILE}; empty if the job failed
 */
public record StepResult(
    String name,
    String type,
    Status status,
    List<JobAttempt> attempts,
    Map<String, String> outputProperties) {

  public StepResult {
    attempts = List.copyOf(attempts);
    outputProperties = Map.copyOf(outputProperties);
  }

  /** Returns the last attempt, which decided the status; empty if the job never ran. */
  public Optional<JobAttempt> lastAttempt() {
    return attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.get(attempts.size() - 1));
  }

  /**
   * Returns the time from the first attempt's start to the last attempt's end, including the waits
   * between attempts.
   */
  public Duration duration() {
    return lastAttempt()
        .map(last -> Duration.between(attempts.get(0).start(), last.end()))
        .filter(between -> !between.isNegative())
        .orElse(Duration.ZERO);
  }
}
