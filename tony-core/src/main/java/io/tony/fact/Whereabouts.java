package io.tony.fact;

import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where the tasks of a gang stand that hangs, in one line: {@code 3 of 4 tasks stand in all_reduce
 * (distributed_c10d.py:2501); worker:2 stands in read (loader.py:14): the likely cause}.
 */
public final class Whereabouts {
  private static final int MOST_GROUPS = 4;
  private static final int MOST_NAMES = 3;
  private static final String UNKNOWN = "an unknown place";

  private Whereabouts() {}

  /** Of all tasks that told it, by task; empty where no place is known. */
  public static String of(Map<TaskId, String> places) {
    if (places.values().stream().allMatch(String::isEmpty)) {
      return "";
    }
    Map<String, List<TaskId>> groups = new LinkedHashMap<>();
    places.forEach(
        (task, place) -> groups.computeIfAbsent(place, name -> new ArrayList<>()).add(task));
    if (places.size() == 1) {
      TaskId task = places.keySet().iterator().next();
      return task + " stood in " + places.get(task);
    }
    List<Map.Entry<String, List<TaskId>>> largestFirst = new ArrayList<>(groups.entrySet());
    largestFirst.sort(Comparator.comparing(group -> -group.getValue().size()));
    TaskId cause = cause(largestFirst, places);
    largestFirst.removeIf(group -> group.getValue().get(0).equals(cause)); // it is told last
    List<String> parts = new ArrayList<>();
    int left = 0;
    for (Map.Entry<String, List<TaskId>> group : largestFirst) {
      List<TaskId> tasks = group.getValue();
      if (parts.size() < MOST_GROUPS) {
        parts.add(stand(tasks, parts.isEmpty(), places.size()) + name(group.getKey()));
      } else {
        left += tasks.size();
      }
    }
    if (left > 0) {
      parts.add(left + (left == 1 ? " stands" : " stand") + " elsewhere");
    }
    if (cause != null) {
      parts.add(cause + " stands in " + name(places.get(cause)) + ": the likely cause");
    }
    return String.join("; ", parts);
  }

  private static String name(String place) {
    return place.isEmpty() ? UNKNOWN : place;
  }

  private static String stand(List<TaskId> tasks, boolean largest, int all) {
    if (tasks.size() == 1) {
      return tasks.get(0) + " stands in ";
    }
    String who =
        largest || tasks.size() > MOST_NAMES
            ? tasks.size() + " of " + all + " tasks"
            : tasks.stream().map(TaskId::toString).collect(Collectors.joining(" and "));
    return who + " stand in ";
  }

  /**
   * The one task that stands elsewhere than most, when tasks of its own role are among these: one
   * of another role may do so by its nature, as a parameter server does.
   */
  private static TaskId cause(
      List<Map.Entry<String, List<TaskId>>> largestFirst, Map<TaskId, String> places) {
    List<TaskId> most = largestFirst.get(0).getValue();
    if (2 * most.size() <= places.size()) {
      return null;
    }
    Set<String> roles = most.stream().map(TaskId::role).collect(Collectors.toSet());
    List<List<TaskId>> others =
        largestFirst.stream()
            .skip(1)
            .map(Map.Entry::getValue)
            .filter(tasks -> tasks.stream().anyMatch(task -> roles.contains(task.role())))
            .toList();
    boolean one = others.size() == 1 && others.get(0).size() == 1 && places.size() > 2;
    return one ? others.get(0).get(0) : null;
  }
}
