package io.tony.model;

import java.util.Objects;

/**
 * One attempt of a task in one container. A report that was sent before the task was restarted
 * carries an older key, which identifies it as outdated.
 *
 * @param attempt number of the attempt, counted over all tasks of the job: each restart gets a
 *     higher number
 * @param container id of the container
 */
public record TaskKey(TaskId task, int attempt, String container) {
  public TaskKey {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(container, "container");
  }

  // Hand-written for the reason given in TaskId: generated methods cost start-up time.

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
