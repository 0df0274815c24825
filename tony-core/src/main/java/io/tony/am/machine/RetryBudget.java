package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/** Remaining restarts of the gang, by kind of failure. */
public record RetryBudget(int program, int lost, int preempted) {
  static RetryBudget of(JobLimits.Retries retries) {
    return new RetryBudget(retries.program(), retries.lost(), retries.preempted());
  }

  /** Returns the number of remaining restarts for the kind; 0 for a kind without retries. */
  int remaining(FailureKind kind) {
    return switch (kind) {
      case PROGRAM, MEMORY -> program;
      case LOST -> lost;
      case PREEMPTED -> preempted;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> 0;
    };
  }

  /** Returns a copy with {@code remaining} restarts for the kind. */
  RetryBudget withRemaining(FailureKind kind, int remaining) {
    return switch (kind) {
      case PROGRAM, MEMORY -> new RetryBudget(remaining, lost, preempted);
      case LOST -> new RetryBudget(program, remaining, preempted);
      case PREEMPTED -> new RetryBudget(program, lost, remaining);
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> this;
    };
  }
}
