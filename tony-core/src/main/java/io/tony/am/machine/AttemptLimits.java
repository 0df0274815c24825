package io.tony.am.machine;

import io.tony.model.JobSpec;

/** The numbers that the starts of a job's tasks get, in one application. */
public final class AttemptLimits {
  /**
   * Below this number, starts may be at nobody's expense: after a preemption that was announced, or
   * a change of the gang's size. It is not to be reached by a job that lives for a month and
   * changes every hour, nor by one that loses thousands of containers together.
   */
  private static final int MAX_FREE_ATTEMPTS = 10_000;

  /**
   * No application starts tasks more often, whatever its limits would allow: a million gang starts
   * of half a minute each take a year.
   */
  static final int MAX_ATTEMPTS = 1_000_000;

  private AttemptLimits() {}

  /** Whether the next start may be one that nobody pays for. */
  static boolean allowsFreeRestart(JobState state) {
    return state.gang().attempt() + 1 < MAX_FREE_ATTEMPTS;
  }

  /**
   * All numbers of an application are below this. Besides the starts that a budget pays for, it
   * counts those for free: of tasks that were kept when the node was lost, and of tasks that had
   * not started when the ApplicationMaster was.
   *
   * @param masters how many ApplicationMasters there can be
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
