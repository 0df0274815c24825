package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/**
 * Number of retries that the job has left, by failure kind. A restart of the gang or of a single
 * task uses one, unless it is charged elsewhere.
 */
public record RetryBudget(int program, int lost, int preempted) {
  static RetryBudget of(JobLimits.Retries retries) {
    return new RetryBudget(retries.program(), retries.lost(), retries.preempted());
  }

  /** Returns the number of restarts left for the failure kind; 0 for a kind without retries. */
  int remaining(FailureKind kind) {
    return switch (kind) {
      case PROGRAM, MEMORY -> program;
      case LOST -> lost;
      case PREEMPTED -> preempted;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> 0;
    };
  }

  /** Returns a copy with {@code remaining} restarts for the failure kind. */
  RetryBudget withRemaining(FailureKind kind, int remaining) {
    return switch (kind) {
      case PROGRAM, MEMORY -> new RetryBudget(remaining, lost, preempted);
      case LOST -> new RetryBudget(program, remaining, preempted);
      case PREEMPTED -> new RetryBudget(program, lost, remaining);
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> this;
    };
  }
}
