package io.tony.model;

import java.util.Objects;

/**
 * One task in one attempt of its gang in one container. A report that was under way when the gang
 * was restarted carries an older key, and is told apart by it.
 */
public record TaskKey(TaskId task, int session, String container) {
  public TaskKey {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(container, "container");
  }

  @Override
  public String toString() {
    return task + " (session " + session + ", " + container + ")";
  }
}
