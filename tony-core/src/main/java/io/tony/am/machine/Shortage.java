package io.tony.am.machine;

import io.tony.fact.GangFact;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Says in words which containers are missing, and which resource there is too little of. */
final class Shortage {
  /** A wait that lasts longer is told. */
  static final Duration NOTICE_AFTER = Duration.ofSeconds(10);

  private Shortage() {}

  /** The containers of some roles: {@code 2 × worker (2048 MiB, 1 vcore); 1 × ps (…)}. */
  static String text(Map<RoleSpec, Integer> wanted) {
    StringBuilder text = new StringBuilder();
    wanted.forEach(
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
        text(missing(state)), free == null ? "" : free.toString(), scarce(state));
  }

  static void notice(Draft draft) {
    JobState state = draft.state();
    if (state.tasks().count(TaskState.REQUESTED) > 0) {
      draft.record(new GangFact.Waiting(of(state)));
      // It may be for the nodes that are avoided that none comes.
      Avoidance.forgive(draft);
    }
  }

  /** The containers that are asked for, and those that a gang that backs off will ask for again. */
  static Map<RoleSpec, Integer> missing(JobState state) {
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
  static String scarce(JobState state) {
    ResourceSpec free = state.clusterView().free();
    if (free == null) {
      return "";
    }
    List<String> scarce = new ArrayList<>();
    for (RoleSpec role : missing(state).keySet()) {
      ResourceSpec asked = role.resource();
      add(scarce, "memory", asked.memoryMiB(), free.memoryMiB());
      add(scarce, "vcores", asked.vcores(), free.vcores());
      asked
          .others()
          .forEach(
              (name, amount) -> add(scarce, name, amount, free.others().getOrDefault(name, 0L)));
    }
    return String.join(", ", scarce);
  }

  private static void add(List<String> scarce, String name, long asked, long free) {
    if (asked > free && !scarce.contains(name)) {
      scarce.add(name);
    }
  }
}
