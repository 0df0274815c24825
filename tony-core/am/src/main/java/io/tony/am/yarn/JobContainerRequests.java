package io.tony.am.yarn;

import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.yarn.api.records.Priority;

/**
 * Pending container requests of a job, by role. YARN's client library sends changes with its next
 * call. Each role has its own priority, which shows to which role an allocated container belongs.
 * Not thread-safe.
 */
final class JobContainerRequests {
  private final Map<String, RoleContainerRequests> byRole = new LinkedHashMap<>();
  private final Map<Integer, RoleContainerRequests> byPriority = new HashMap<>();

  /**
   * Number of containers of each role that were requested before the job's first decision. A role
   * is removed once the job decides how many containers it needs.
   */
  private final Map<RoleSpec, Integer> earlyCounts = new HashMap<>();

  /**
   * Creates the object without any request.
   *
   * @param applicationLabel node label for roles without a label of their own; empty for none
   */
  JobContainerRequests(JobSpec job, String applicationLabel, SchedulerClient client) {
    for (RoleContainerRequests roleRequests :
        RoleContainerRequests.of(job, applicationLabel, client)) {
      byRole.put(roleRequests.role().name(), roleRequests);
      byPriority.put(byRole.size(), roleRequests);
    }
  }

  /** Requests the containers that the job's first decision is expected to request. */
  void addEarly(Map<RoleSpec, Integer> wanted) {
    wanted.forEach(this::add);
    earlyCounts.putAll(wanted);
  }

  /**
   * Requests containers as the job has decided. Containers that were requested early are not
   * requested again; those that were requested early but not decided are withdrawn.
   */
  void add(RoleSpec role, int count) {
    Integer earlyCount = earlyCounts.remove(role);
    int more = earlyCount == null ? count : count - earlyCount;
    if (more > 0) {
      ofRole(role).add(role, more);
    } else {
      withdraw(role, -more);
    }
  }

  void withdraw(RoleSpec role, int count) {
    ofRole(role).withdraw(count);
  }

  private RoleContainerRequests ofRole(RoleSpec role) {
    return Objects.requireNonNull(byRole.get(role.name()));
  }

  /**
   * Called when a new ResourceManager has none of the requests, before YARN's client library sends
   * them again.
   */
  void onResync() {
    byRole.values().forEach(RoleContainerRequests::onResync);
  }

  /** Returns whether a requested container has not been granted yet. */
  boolean hasPending() {
    return byRole.values().stream().anyMatch(roleRequests -> roleRequests.pendingCount() > 0);
  }

  /** Returns the requests of the role that has this priority. */
  RoleContainerRequests ofPriority(Priority priority) {
    return Objects.requireNonNull(byPriority.get(priority.getPriority()));
  }
}
