package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;

/**
 * Ray's head and its workers (Ray's page "Launching an On-Premise Cluster", section "Manually set
 * up a Ray cluster"): {@code RAY_ADDRESS}, which {@code ray.init()} reads, is where rank 0 starts
 * the head by {@code ray start --head --port=$RAY_PORT}, and what the others join by {@code ray
 * start --address=$RAY_ADDRESS}. {@code RANK} and {@code WORLD_SIZE} say who is who.
 */
public final class RayRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "ray";
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    List<TaskId> ranked = gang.ranked();
    int rank = ranked.indexOf(task);
    if (rank < 0) {
      return Map.of();
    }
    Endpoint head = gang.endpoint(ranked.get(0));
    return Map.of(
        "RAY_ADDRESS",
        head.toString(),
        "RAY_PORT",
        Integer.toString(head.port()),
        "RAY_NODE_IP_ADDRESS",
        gang.endpoint(task).host(),
        "RANK",
        Integer.toString(rank),
        "WORLD_SIZE",
        Integer.toString(ranked.size()));
  }

  @Override
  public List<String> problems(JobSpec job) {
    return Gang.problemsOfFirstTask(name(), job);
  }
}
