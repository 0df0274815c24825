package io.tony.am.machine;

import io.tony.model.JobSpec;

/**
 * Limits the attempt numbers of a job's tasks within one application, so that no job restarts
 * without end.
 */
public final class AttemptLimits {
  /**
   * Attempt number of the gang that no free restart may reach: from there on, {@link
   * #allowsFreeRestart} returns false. This limits restarts that no retry budget pays for, for
   * example after an announced preemption, a failed preflight check or a change of the gang's size.
   * The limit is high enough for a job that runs for a month and changes its size every hour, or
   * loses thousands of containers together.
   */
  private static final int MAX_FREE_ATTEMPTS = 10_000;

  /**
   * Upper limit of what {@link #maxAttempts} returns, whatever the job's retry limits are. With a
   * gang start every half minute, a million attempts take a year.
   */
  static final int MAX_ATTEMPTS = 1_000_000;

  private AttemptLimits() {}

  /**
   * Returns true if the job may restart once more without a charge to any retry budget: the attempt
   * number of this restart is below {@link #MAX_FREE_ATTEMPTS}.
   */
  static boolean allowsFreeRestart(JobState state) {
    return state.gang().attempt() + 1 < MAX_FREE_ATTEMPTS;
  }

  /**
   * Returns the highest attempt number that any task of an application can reach. Counts restarts
   * that a retry budget pays for and free restarts, such as those of tasks that had not started
   * when an ApplicationMaster was lost.
   *
   * @param masters maximum number of ApplicationMaster attempts
   */
  public static int maxAttempts(JobSpec job, int masters) {
    double taskRetries =
        job.roles().stream()
            .mapToDouble(role -> (double) role.instances() * role.maxTaskRetries())
            .sum();
    double gangRestarts = job.limits().retries().total();
    double maxAttempts =
        MAX_FREE_ATTEMPTS
            + 1
            + 2 * taskRetries
            + gangRestarts * (1 + job.taskCount())
            + (masters - 1.0) * job.taskCount();
    return (int) Math.min(MAX_ATTEMPTS, maxAttempts);
  }
}
