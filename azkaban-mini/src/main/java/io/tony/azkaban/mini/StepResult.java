package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a flow's job.
 *
 * @param name the job's name; inside an embedded flow {@code flow:job}
 * @param type the job's {@code type}
 * @param status {@code CANCELLED} if the failure of an earlier job prevented it from running
 * @param attempts in order; empty if the job never ran
 * @param outputProperties the properties that the last attempt wrote to its {@code
 *     JOB_OUTPUT_PROP_FILE}; empty after a failure
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

  /** The attempt that decided the status; empty if the job never ran. */
  public Optional<JobAttempt> lastAttempt() {
    return attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.get(attempts.size() - 1));
  }

  /**
   * Time from the first attempt's start to the last attempt's end, including the waits between
   * them.
   */
  public Duration duration() {
    return lastAttempt()
        .map(last -> Duration.between(attempts.get(0).start(), last.end()))
        .filter(between -> !between.isNegative())
        .orElse(Duration.ZERO);
  }
}
