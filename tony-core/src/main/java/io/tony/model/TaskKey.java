package io.tony.model;

import java.util.Objects;

/**
 * One attempt of a task in its container. A report that was under way when the task was started
 * again carries an older key, and is told apart by it.
 *
 * @param attempt counted through all tasks of the job: whatever is started again has a higher one
 */
public record TaskKey(TaskId task, int attempt, String container) {
  public TaskKey {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(container, "container");
  }

  // As in TaskId: a record's own would be made at run time.

  @Override
  public boolean equals(Object other) {
    return other instanceof TaskKey key
        && task.equals(key.task)
        && attempt == key.attempt
        && container.equals(key.container);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * task.hashCode() + attempt) + container.hashCode();
  }

  @Override
  public String toString() {
    return task + " (attempt " + attempt + ", " + container + ")";
  }
}
