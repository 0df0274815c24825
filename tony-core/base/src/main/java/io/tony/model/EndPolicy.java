package io.tony.model;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Rules for when a job ends, and whether it then counts as failed.
 *
 * @param failOnAnyTask true if any failed task fails the job. False is the rule of LinkedIn's TonY:
 *     the job fails only if all tracked tasks have failed, or the chief, or a task of a role that
 *     stops the job
 * @param chiefDecides true if the job succeeds as soon as its chief has succeeded; the other tasks
 *     are then stopped
 * @param timeouts limits for roles that outlive a group of other roles
 */
public record EndPolicy(boolean failOnAnyTask, boolean chiefDecides, List<GroupTimeout> timeouts) {

  /**
   * Limits how long a role may run after every task of a group of other roles has ended.
   *
   * @param role role that is limited
   * @param group name of the group in messages
   * @param members roles of the group
   * @param limit maximum time from the end of the group's last task
   * @param ignored what happens when the limit is exceeded: if true, the job continues without
   *     {@code role}; if false, the job fails
   */
  public record GroupTimeout(
      String role, String group, Set<String> members, Duration limit, boolean ignored) {
    public GroupTimeout {
      members = Set.copyOf(members);
    }
  }

  public EndPolicy {
    timeouts = List.copyOf(timeouts);
  }
}
