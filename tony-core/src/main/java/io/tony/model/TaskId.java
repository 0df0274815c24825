package io.tony.model;

import java.util.Objects;

/**
 * Name of one task of a job: its role and its index within the role, written {@code worker:0}. The
 * index starts at 0 and stays with the task through all restarts.
 */
public record TaskId(String role, int index) implements Comparable<TaskId> {
  public TaskId {
    Objects.requireNonNull(role, "role");
    if (role.isEmpty() || index < 0) {
      throw new IllegalArgumentException("not a task: role '" + role + "', index " + index);
    }
  }

  /**
   * Parses the text that {@link #toString} returns.
   *
   * @throws IllegalArgumentException if the text is not {@code role:index}
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

  // Hand-written: the JVM would generate a record's own equals and hashCode at run time, which
  // costs each executor 20 ms.

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
