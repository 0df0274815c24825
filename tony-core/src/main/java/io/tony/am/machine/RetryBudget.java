package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/** How many more times the gang may be started again, by the kind of failure. */
public record RetryBudget(int program, int lost, int preempted) {
  static RetryBudget of(JobLimits.Retries retries) {
    return new RetryBudget(retries.program(), retries.lost(), retries.preempted());
  }

  /** How many are left for a kind. */
  int left(FailureKind kind) {
    return switch (kind) {
      case PROGRAM, MEMORY -> program;
      case LOST -> lost;
      case PREEMPTED -> preempted;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> 0;
    };
  }

  /** The budget with so many left for the kind. */
  RetryBudget withLeft(FailureKind kind, int left) {
    return switch (kind) {
      case PROGRAM, MEMORY -> new RetryBudget(left, lost, preempted);
      case LOST -> new RetryBudget(program, left, preempted);
      case PREEMPTED -> new RetryBudget(program, lost, left);
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> this;
    };
  }
}
