package io.tony.event;

import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Summarizes in one line where the programs of a hanging gang are executing, and which task
 * probably causes the hang: {@code 3 of 4 tasks hang in all_reduce (distributed_c10d.py:2501);
 * worker:2 hangs in read (loader.py:14): the likely cause}.
 */
public final class HangSummary {
  private static final int MAX_GROUPS = 4;
  private static final int MAX_NAMED_TASKS = 3;
  private static final String UNKNOWN_PLACE = "an unknown place";

  private HangSummary() {}

  /**
   * Returns the summary; empty if all locations are unknown.
   *
   * @param locations the {@link HangLocation#location()} of each task; empty texts are unknown
   *     locations
   */
  public static String of(Map<TaskId, String> locations) {
    if (locations.values().stream().allMatch(String::isEmpty)) {
      return "";
    }
    Map<String, List<TaskId>> groups = new LinkedHashMap<>();
    locations.forEach(
        (task, place) -> groups.computeIfAbsent(place, name -> new ArrayList<>()).add(task));
    if (locations.size() == 1) {
      TaskId task = locations.keySet().iterator().next();
      return task + " hung in " + locations.get(task);
    }
    List<Map.Entry<String, List<TaskId>>> largestFirst = new ArrayList<>(groups.entrySet());
    largestFirst.sort(Comparator.comparing(group -> -group.getValue().size()));
    TaskId cause = likelyCause(largestFirst, locations);
    // The cause gets a part of its own at the end of the summary.
    largestFirst.removeIf(group -> group.getValue().get(0).equals(cause));
    List<String> parts = new ArrayList<>();
    int remainingCount = 0;
    for (Map.Entry<String, List<TaskId>> group : largestFirst) {
      List<TaskId> tasks = group.getValue();
      if (parts.size() < MAX_GROUPS) {
        parts.add(groupText(tasks, parts.isEmpty(), locations.size()) + placeName(group.getKey()));
      } else {
        remainingCount += tasks.size();
      }
    }
    if (remainingCount > 0) {
      parts.add(remainingCount + (remainingCount == 1 ? " hangs" : " hang") + " elsewhere");
    }
    if (cause != null) {
      parts.add(
          cause
              + " hangs in "
              + placeName(Objects.requireNonNull(locations.get(cause)))
              + ": the likely cause");
    }
    return String.join("; ", parts);
  }

  private static String placeName(String place) {
    return place.isEmpty() ? UNKNOWN_PLACE : place;
  }

  private static String groupText(List<TaskId> tasks, boolean largest, int taskCount) {
    if (tasks.size() == 1) {
      return tasks.get(0) + " hangs in ";
    }
    String subject =
        largest || tasks.size() > MAX_NAMED_TASKS
            ? tasks.size() + " of " + taskCount + " tasks"
            : tasks.stream().map(TaskId::toString).collect(Collectors.joining(" and "));
    return subject + " hang in ";
  }

  /**
   * Returns the task that probably causes the hang: the only one that executes in another place
   * than the majority of all tasks. Returns null if there is no majority, or not exactly one such
   * task. Places in which only tasks of other roles execute are ignored: a parameter server, for
   * example, always executes in another place than the workers.
   */
  private static @Nullable TaskId likelyCause(
      List<Map.Entry<String, List<TaskId>>> largestFirst, Map<TaskId, String> locations) {
    List<TaskId> majority = largestFirst.get(0).getValue();
    if (2 * majority.size() <= locations.size()) {
      return null;
    }
    Set<String> roles = majority.stream().map(TaskId::role).collect(Collectors.toSet());
    List<List<TaskId>> others =
        largestFirst.stream()
            .skip(1)
            .map(Map.Entry::getValue)
            .filter(tasks -> tasks.stream().anyMatch(task -> roles.contains(task.role())))
            .toList();
    boolean isSingleTask = others.size() == 1 && others.get(0).size() == 1 && locations.size() > 2;
    return isSingleTask ? others.get(0).get(0) : null;
  }
}
