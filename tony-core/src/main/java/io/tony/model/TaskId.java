package io.tony.model;

import java.util.Comparator;
import java.util.Objects;

/**
 * The name of one task of a job: its role and its index within the role, written {@code worker:0}.
 * The index starts at 0 and stays with the task through every restart.
 */
public record TaskId(String role, int index) implements Comparable<TaskId> {
  private static final Comparator<TaskId> ORDER =
      Comparator.comparing(TaskId::role).thenComparingInt(TaskId::index);

  public TaskId {
    Objects.requireNonNull(role, "role");
    if (role.isEmpty() || index < 0) {
      throw new IllegalArgumentException("not a task: role '" + role + "', index " + index);
    }
  }

  /** Reads what {@link #toString} writes. */
  public static TaskId parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("not a task id (role:index): '" + text + "'");
    }
    return new TaskId(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  @Override
  public int compareTo(TaskId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return role + ":" + index;
  }
}
