package io.tony.am.machine;

import io.tony.model.JobSpec;

/** The numbers that the starts of a job's tasks get, in one application. */
public final class Attempts {
  /**
   * Below this number, containers may be given back to YARN at nobody's expense. It is not to be
   * reached by a job that lives for a month and is preempted every hour.
   */
  private static final int FREE = 1_000;

  private Attempts() {}

  /** Whether the next start may be one that nobody pays for. */
  static boolean mayBeFree(JobState state) {
    return state.gang().attempt() + 1 < FREE;
  }

  /**
   * All numbers of an application are below this. Besides the starts that a budget pays for, it
   * counts those for free: of tasks that were kept when the node was lost, and of tasks that had
   * not started when the ApplicationMaster was.
   *
   * @param masters how many ApplicationMasters there can be
   */
  public static int limit(JobSpec job, int masters) {
    int alone = job.roles().stream().mapToInt(role -> role.instances() * role.retries()).sum();
    int gangs = job.limits().retries().sum();
    return FREE + 1 + 2 * alone + gangs * (1 + job.tasks()) + (masters - 1) * job.tasks();
  }
}
