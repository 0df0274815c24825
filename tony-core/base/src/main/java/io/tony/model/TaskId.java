package io.tony.model;

import java.util.Objects;

/**
 * Identifies a task of a job by its role and its index within the role, from 0; written {@code
 * worker:0}. A restarted task keeps its id.
 */
public record TaskId(String role, int index) implements Comparable<TaskId> {
  public TaskId {
    Objects.requireNonNull(role, "role");
    if (role.isEmpty() || index < 0) {
      throw new IllegalArgumentException("not a task: role '" + role + "', index " + index);
    }
  }

  /**
   * Parses {@code role:index}, as {@link #toString} returns it.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static TaskId parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("not a task id (role:index): '" + text + "'");
    }
    return new TaskId(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  @Override
  public int compareTo(TaskId other) {
    int byRole = role.compareTo(other.role);
    return byRole == 0 ? Integer.compare(index, other.index) : byRole;
  }

  // Written by hand, because the methods of a record are generated at run time, which takes each
  // executor 20 ms.

  @Override
  public boolean equals(Object other) {
    return other instanceof TaskId task && role.equals(task.role) && index == task.index;
  }

  @Override
  public int hashCode() {
    return 31 * role.hashCode() + index;
  }

  @Override
  public String toString() {
    return role + ":" + index;
  }
}
