package io.tony.am.machine;

import io.tony.model.JobSpec;

/** Limits of the attempt numbers of a job's tasks within one application. */
public final class AttemptLimits {
  /**
   * Number of attempts below which a restart may be free of charge, that is after an announced
   * preemption or a change of the gang's size. High enough for a job that runs for a month and
   * changes every hour, or loses thousands of containers together.
   */
  private static final int MAX_FREE_ATTEMPTS = 10_000;

  /**
   * Maximum number of attempts in an application, whatever its retry limits allow. A million gang
   * starts of half a minute each take a year.
   */
  static final int MAX_ATTEMPTS = 1_000_000;

  private AttemptLimits() {}

  /** Returns true if the next restart may be free of charge. */
  static boolean allowsFreeRestart(JobState state) {
    return state.gang().attempt() + 1 < MAX_FREE_ATTEMPTS;
  }

  /**
   * Returns the upper bound of all attempt numbers of an application. Counts the restarts that a
   * retry budget pays for and the free ones: tasks that were kept when their node was lost, and
   * tasks that had not started when the ApplicationMaster did.
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
