package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;

/**
 * Sets the variables for a Ray cluster (Ray's page "Launching an On-Premise Cluster", section
 * "Manually set up a Ray cluster"). {@code RAY_ADDRESS}, which {@code ray.init()} reads, is the
 * address of Ray's head. The chief starts the head with {@code ray start --head --port=$RAY_PORT};
 * all other tasks join with {@code ray start --address=$RAY_ADDRESS --block}. A Ray node does not
 * end by itself, so the other roles should be untracked: the job then ends with the chief. {@code
 * RAY_NODES} is the number of Ray nodes, which are all tasks except sidecars.
 */
public final class RayRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "ray";
  }

  @Override
  public boolean canJoin() {
    return true;
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    if (gang.world() == 0 || !isNode(gang.job(), task.role())) {
      return Map.of();
    }
    Endpoint head = gang.endpoint(gang.first());
    int nodes =
        gang.cluster().endpoints().keySet().stream()
            .filter(role -> isNode(gang.job(), role))
            .mapToInt(gang::size)
            .sum();
    return Map.of(
        "RAY_ADDRESS", head.toString(),
        "RAY_PORT", Integer.toString(head.port()),
        "RAY_NODE_IP_ADDRESS", gang.endpoint(task).host(),
        "RAY_NODES", Integer.toString(nodes));
  }

  private static boolean isNode(JobSpec job, String role) {
    return job.role(role).supervision() != Supervision.SIDECAR;
  }

  @Override
  public List<String> problems(JobSpec job) {
    return Gang.firstTaskProblems(name(), job);
  }
}
