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

/** Says in words which containers are missing, and which resource there is too little of. */
final class ContainerShortage {
  /** A wait that lasts longer is told. */
  static final Duration NOTICE_AFTER = Duration.ofSeconds(10);

  private ContainerShortage() {}

  /** The containers of some roles: {@code 2 × worker (2048 MiB, 1 vcore); 1 × ps (…)}. */
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

  /** What is missing, what is free, and what is short of it. */
  static GangFact.Shortage of(JobState state) {
    ResourceSpec free = state.clusterView().free();
    return new GangFact.Shortage(
        text(missingContainers(state)),
        free == null ? "" : free.toString(),
        scarceResources(state));
  }

  static void recordShortage(DecisionBuilder draft) {
    JobState state = draft.state();
    if (state.tasks().count(TaskState.REQUESTED) > 0) {
      draft.record(new GangFact.Waiting(of(state)));
      // It may be for the nodes that are avoided that none comes.
      NodeAvoidance.forgive(draft);
    }
  }

  /** The containers that are asked for, and those that a gang that backs off will ask for again. */
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

  /** The resources that the queue has less of than one missing container asks for. */
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
