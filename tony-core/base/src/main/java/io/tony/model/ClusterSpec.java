package io.tony.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Endpoints of all tasks of a cluster. The map's keys are the roles, in the order in which the job
 * declares them; each list is ordered by task index. In gang mode the cluster is complete before
 * any task sees it.
 */
public record ClusterSpec(Map<String, List<Endpoint>> endpoints) {
  public ClusterSpec {
    Map<String, List<Endpoint>> copy = new LinkedHashMap<>();
    endpoints.forEach((role, members) -> copy.put(role, List.copyOf(members)));
    endpoints = Collections.unmodifiableMap(copy);
  }

  /**
   * Returns the endpoint of one task.
   *
   * @throws IllegalArgumentException if the task is not a member of the cluster
   */
  public Endpoint of(TaskId task) {
    List<Endpoint> members = endpoints.get(task.role());
    if (members == null || task.index() >= members.size()) {
      throw new IllegalArgumentException(task + " is not in the cluster " + this);
    }
    return Objects.requireNonNull(members.get(task.index()));
  }

  public int size() {
    return endpoints.values().stream().mapToInt(List::size).sum();
  }
}
