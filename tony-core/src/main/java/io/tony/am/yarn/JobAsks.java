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
final class JobAsks {
  private final Map<String, RoleAsks> byRole = new LinkedHashMap<>();
  private final Map<Integer, RoleAsks> byPriority = new HashMap<>();

  /** What was asked for before the job decided to. */
  private final Map<RoleSpec, Integer> early = new HashMap<>();

  /**
   * Nothing is asked for yet.
   *
   * @param applicationLabel node label of what is asked for without one; empty for none
   */
  JobAsks(JobSpec job, String applicationLabel, SchedulerClient client) {
    for (RoleAsks ofRole : RoleAsks.of(job, applicationLabel, client)) {
      byRole.put(ofRole.role().name(), ofRole);
      byPriority.put(byRole.size(), ofRole);
    }
  }

  /** Asks for what the job is about to decide to ask for. */
  void addEarly(Map<RoleSpec, Integer> wanted) {
    wanted.forEach(this::add);
    early.putAll(wanted);
  }

  /** Asks as decided; what was asked for early is not asked for again. */
  void add(RoleSpec role, int count) {
    Integer asked = early.remove(role);
    int more = asked == null ? count : count - asked;
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
  void askAnew() {
    byRole.values().forEach(RoleAsks::askAnew);
  }

  /** Whether any container is asked for and not yet there. */
  boolean pending() {
    return byRole.values().stream().anyMatch(ofRole -> ofRole.pending() > 0);
  }

  /** Those of the role that has this priority. */
  RoleAsks at(Priority priority) {
    return byPriority.get(priority.getPriority());
  }
}
