package io.tony.model;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Rules that decide how a job ends.
 *
 * @param failOnAnyTask whether any failed task fails the job. False restores TonY's rule: the job
 *     fails only when all tracked tasks have failed, or the chief, or a task of a role that stops
 *     the job
 * @param chiefDecides whether the job succeeds as soon as its chief has succeeded; the other tasks
 *     are then stopped
 * @param timeouts limits for roles that outlive a group of roles
 */
public record EndPolicy(boolean failOnAnyTask, boolean chiefDecides, List<GroupTimeout> timeouts) {

  /**
   * Limits how long a role may run after every task of a group of roles has ended.
   *
   * @param role role that is limited
   * @param group name of the group, for messages
   * @param members roles of the group
   * @param limit time from the end of the group's last task
   * @param ignored what happens after the limit: if true, the job continues without the role; if
   *     false, the job fails
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
