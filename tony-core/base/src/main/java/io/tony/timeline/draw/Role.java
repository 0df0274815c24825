package io.tony.timeline.draw;

import io.tony.timeline.TaskAttempt;
import io.tony.timeline.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The attempts of the tasks of one role.
 *
 * @param attempts attempts in the order of the tasks
 */
record Role(String name, List<TaskAttempt> attempts) {
  private static final int MAX_TASKS = 32;
  private static final int MAX_ATTEMPTS = 256;

  /**
   * Returns true if there are too many tasks or attempts to show each of them; the role is then
   * shown as a summary.
   */
  static boolean isSummarized(int tasks, int attemptCount) {
    return tasks > MAX_TASKS || attemptCount > MAX_ATTEMPTS;
  }

  static List<Role> of(Timeline timeline) {
    Map<String, List<TaskAttempt>> roles = new LinkedHashMap<>();
    for (TaskAttempt attempt : timeline.attempts()) {
      roles.computeIfAbsent(attempt.task().role(), name -> new ArrayList<>()).add(attempt);
    }
    return roles.entrySet().stream()
        .map(role -> new Role(role.getKey(), List.copyOf(role.getValue())))
        .toList();
  }

  int taskCount() {
    return Math.toIntExact(attempts.stream().map(TaskAttempt::task).distinct().count());
  }

  /** Returns the name of the role with the numbers of its tasks and attempts, for display. */
  String title() {
    int tasks = taskCount();
    String title =
        String.format(Locale.ROOT, "%s: %,d %s", name, tasks, tasks == 1 ? "task" : "tasks");
    return attempts.size() == tasks
        ? title
        : String.format(Locale.ROOT, "%s, %,d starts", title, attempts.size());
  }
}
