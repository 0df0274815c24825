package io.tony.am.machine;

import io.tony.event.GangFact;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Describes which containers a job lacks and which resource of the queue is too scarce for them.
 */
final class ContainerShortage {
  /**
   * How long the job waits for containers before it records in the event log which ones it lacks.
   */
  static final Duration NOTICE_AFTER = Duration.ofSeconds(10);

  private ContainerShortage() {}

  /**
   * Formats the number of containers by role, for example {@code 2 × worker (2048 MiB, 1 vcore); 1
   * × ps (…)}.
   */
  static String text(Map<RoleSpec, Integer> containers) {
    StringBuilder text = new StringBuilder();
    containers.forEach(
        (role, count) ->
            text.append(text.isEmpty() ? "" : "; ")
                .append(count)
                .append(" × ")
                .append(role.name())
                .append(" (")
                .append(role.resource())
                .append(')'));
    return text.toString();
  }

  /**
   * Returns a description for the event log: the missing containers, the queue's free resources,
   * and the resources that are scarce.
   */
  static GangFact.Shortage of(JobState state) {
    ResourceSpec free = state.clusterView().free();
    return new GangFact.Shortage(
        text(missingContainers(state)),
        free == null ? "" : free.toString(),
        scarceResources(state));
  }

  static void recordShortage(DecisionBuilder decision) {
    JobState state = decision.state();
    if (state.tasks().count(TaskState.REQUESTED) > 0) {
      decision.record(new GangFact.Waiting(of(state)));
      // The avoided nodes may be the reason why YARN grants no container, so the job avoids them no
      // longer.
      NodeAvoidance.forgive(decision);
    }
  }

  /**
   * Returns the number of missing containers by role. While the gang backs off, these are the
   * containers that it will request again.
   */
  static Map<RoleSpec, Integer> missingContainers(JobState state) {
    Map<RoleSpec, Integer> missing = new LinkedHashMap<>();
    for (RoleSpec role : state.job().roles()) {
      int count = state.tasks().count(role.name(), TaskState.REQUESTED);
      if (state.phase() == Phase.BACKING_OFF && state.mayStart(role)) {
        count += state.tasks().count(role.name(), TaskState.WAITING);
      }
      if (count > 0) {
        missing.put(role, count);
      }
    }
    return missing;
  }

  /**
   * Returns the resources of which the queue has less than a missing container needs, separated by
   * commas; empty if none or not known.
   */
  static String scarceResources(JobState state) {
    ResourceSpec free = state.clusterView().free();
    if (free == null) {
      return "";
    }
    List<String> scarce = new ArrayList<>();
    for (RoleSpec role : missingContainers(state).keySet()) {
      ResourceSpec requested = role.resource();
      add(scarce, "memory", requested.memoryMiB(), free.memoryMiB());
      add(scarce, "vcores", requested.vcores(), free.vcores());
      requested
          .others()
          .forEach(
              (name, amount) -> add(scarce, name, amount, free.others().getOrDefault(name, 0L)));
    }
    return String.join(", ", scarce);
  }

  private static void add(List<String> scarce, String name, long requested, long free) {
    if (requested > free && !scarce.contains(name)) {
      scarce.add(name);
    }
  }
}
