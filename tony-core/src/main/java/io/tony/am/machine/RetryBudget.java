package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobLimits;

/** How many more times the gang may be started again, by the kind of failure. */
public record RetryBudget(int user, int lost, int preempted) {
  static RetryBudget of(JobLimits.Retries retries) {
    return new RetryBudget(retries.user(), retries.lost(), retries.preempted());
  }

  /** How many are left for a kind. */
  int left(FailureKind kind) {
    return switch (kind) {
      case USER, MEMORY -> user;
      case LOST -> lost;
      case PREEMPTED -> preempted;
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> 0;
    };
  }

  /** The budget with so many left for the kind. */
  RetryBudget withLeft(FailureKind kind, int left) {
    return switch (kind) {
      case USER, MEMORY -> new RetryBudget(left, lost, preempted);
      case LOST -> new RetryBudget(user, left, preempted);
      case PREEMPTED -> new RetryBudget(user, lost, left);
      case INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> this;
    };
  }
}
