package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/** How many more times the gang may be started again, by the kind of failure. */
public record RetryBudget(int program, int lost, int preempted) {
  static RetryBudget of(JobLimits.Retries retries) {
    return new RetryBudget(retries.program(), retries.lost(), retries.preempted());
  }

  /** How many are left for a kind. */
  int remaining(FailureKind kind) {
    return switch (kind) {
      case PROGRAM, MEMORY -> program;
      case LOST -> lost;
      case PREEMPTED -> preempted;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> 0;
    };
  }

  /** The budget with so many left for the kind. */
  RetryBudget withRemaining(FailureKind kind, int remaining) {
    return switch (kind) {
      case PROGRAM, MEMORY -> new RetryBudget(remaining, lost, preempted);
      case LOST -> new RetryBudget(program, remaining, preempted);
      case PREEMPTED -> new RetryBudget(program, lost, remaining);
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> this;
    };
  }
}
