package io.tony.model;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What decides how a job ends.
 *
 * @param failOnAnyTask false restores TonY's rule: the job fails only when all tracked tasks
 *     failed, or the chief, or a task of a role that stops the job
 * @param chiefDecides the job has succeeded as soon as its chief has; the others are stopped
 */
public record EndPolicy(boolean failOnAnyTask, boolean chiefDecides, List<GroupTimeout> timeouts) {

  /**
   * How long a role may go on once every task of a group of roles has ended.
   *
   * @param group name of the group, for messages
   * @param ignored whether the job goes on without the role when the time has passed; else it fails
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
