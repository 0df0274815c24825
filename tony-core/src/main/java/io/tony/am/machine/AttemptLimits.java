package io.tony.am.machine;

import io.tony.model.JobSpec;

/** Limits of the attempt numbers of a job's tasks within one application. */
public final class AttemptLimits {
  /**
   * Number of attempts from which on no restart is free of charge. Free restarts are those after an
   * announced preemption or for a change of the gang's size. High enough for a job that runs for a
   * month and changes its size every hour, or loses thousands of containers together.
   */
  private static final int MAX_FREE_ATTEMPTS = 10_000;

  /**
   * Upper limit of {@link #maxAttempts}, whatever the job's retry limits are. With a gang start
   * every half minute, a million attempts take a year.
   */
  static final int MAX_ATTEMPTS = 1_000_000;

  private AttemptLimits() {}

  /** Returns true if the job's next restart may be free of charge. */
  static boolean allowsFreeRestart(JobState state) {
    return state.gang().attempt() + 1 < MAX_FREE_ATTEMPTS;
  }

  /**
   * Returns the maximum attempt number of any task of an application. Includes restarts that a
   * retry budget pays for and free restarts, such as those of tasks that had not started when an
   * ApplicationMaster was lost.
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
