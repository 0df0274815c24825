package io.tony.am.machine;

import io.tony.model.JobSpec;

/** The numbers that the starts of a job's tasks get, in one application. */
public final class Attempts {
  private Attempts() {}

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
    return 1 + 2 * alone + gangs * (1 + job.tasks()) + (masters - 1) * job.tasks();
  }
}
