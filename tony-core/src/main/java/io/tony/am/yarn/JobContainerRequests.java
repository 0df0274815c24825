package io.tony.am.yarn;

import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.Priority;

/**
 * The containers that a job waits for, role by role: YARN's client is told with its next call. A
 * role has one priority, which maps an allocation back to its role. For one thread at a time.
 */
final class JobContainerRequests {
  private final Map<String, RoleContainerRequests> byRole = new LinkedHashMap<>();
  private final Map<Integer, RoleContainerRequests> byPriority = new HashMap<>();

  /** What was asked for before the job decided to. */
  private final Map<RoleSpec, Integer> earlyCounts = new HashMap<>();

  /**
   * Nothing is asked for yet.
   *
   * @param applicationLabel node label of what is asked for without one; empty for none
   */
  JobContainerRequests(JobSpec job, String applicationLabel, SchedulerClient client) {
    for (RoleContainerRequests roleRequests :
        RoleContainerRequests.of(job, applicationLabel, client)) {
      byRole.put(roleRequests.role().name(), roleRequests);
      byPriority.put(byRole.size(), roleRequests);
    }
  }

  /** Asks for what the job is about to decide to ask for. */
  void addEarly(Map<RoleSpec, Integer> wanted) {
    wanted.forEach(this::add);
    earlyCounts.putAll(wanted);
  }

  /** Asks as decided; what was asked for early is not asked for again. */
  void add(RoleSpec role, int count) {
    Integer earlyCount = earlyCounts.remove(role);
    int more = earlyCount == null ? count : count - earlyCount;
    if (more > 0) {
      byRole.get(role.name()).add(role, more);
    } else {
      withdraw(role, -more);
    }
  }

  void withdraw(RoleSpec role, int count) {
    byRole.get(role.name()).withdraw(count);
  }

  /** The ResourceManager knows of none of them; YARN's client is about to ask for them anew. */
  void onResync() {
    byRole.values().forEach(RoleContainerRequests::onResync);
  }

  /** Whether any container is asked for and not yet there. */
  boolean hasPending() {
    return byRole.values().stream().anyMatch(roleRequests -> roleRequests.pending() > 0);
  }

  /** Those of the role that has this priority. */
  RoleContainerRequests ofPriority(Priority priority) {
    return byPriority.get(priority.getPriority());
  }
}
