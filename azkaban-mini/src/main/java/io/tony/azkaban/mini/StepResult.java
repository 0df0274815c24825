package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a job of a flow ended.
 *
 * @param name the job's name; inside an embedded flow {@code flow:job}
 * @param type the job's {@code type}
 * @param status {@code CANCELLED} when an earlier job's failure kept it from running
 * @param attempts in order; empty when it never ran
 * @param outputProperties what the last attempt wrote to its {@code JOB_OUTPUT_PROP_FILE}; empty
 *     after a failure
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

  /** The attempt that decided the status; empty when the job never ran. */
  public Optional<JobAttempt> lastAttempt() {
    return attempts.isEmpty() ? Optional.empty() : Optional.of(attempts.get(attempts.size() - 1));
  }

  /** From the first attempt's start to the last one's end, the waits between them included. */
  public Duration duration() {
    return lastAttempt()
        .map(last -> Duration.between(attempts.get(0).start(), last.end()))
        .filter(between -> !between.isNegative())
        .orElse(Duration.ZERO);
  }
}
