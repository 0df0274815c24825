package io.tony.timeline.draw;

import io.tony.timeline.TaskAttempt;
import io.tony.timeline.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The tasks of one role.
 *
 * @param attempts task by task
 */
record Role(String name, List<TaskAttempt> attempts) {
  private static final int MAX_TASKS = 32;
  private static final int MAX_ATTEMPTS = 256;

  /** Whether so many tasks, with so many starts, are summed up and not shown one by one. */
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

  /** Its name, and how many tasks and starts it has. */
  String title() {
    int tasks = taskCount();
    String title =
        String.format(Locale.ROOT, "%s: %,d %s", name, tasks, tasks == 1 ? "task" : "tasks");
    return attempts.size() == tasks
        ? title
        : String.format(Locale.ROOT, "%s, %,d starts", title, attempts.size());
  }
}
