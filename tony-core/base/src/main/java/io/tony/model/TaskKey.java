package io.tony.model;

import java.util.Objects;

/**
 * Identifies one attempt of a task in one container. A report that an executor sent before its task
 * was restarted has the key of the earlier attempt, and is thereby recognized as outdated.
 *
 * @param attempt number of the attempt; every restart of any task of the job gets a higher number
 *     than all before
 * @param container id of the container
 */
public record TaskKey(TaskId task, int attempt, String container) {
  public TaskKey {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(container, "container");
  }

  // Written by hand for a fast start of executors; see TaskId.

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
