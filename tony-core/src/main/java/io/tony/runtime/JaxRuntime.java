package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;

/**
 * What {@code jax.distributed.initialize} needs (JAX's page "Introduction to multi-controller
 * JAX"). JAX itself reads {@code JAX_COORDINATOR_ADDRESS}; the program passes {@code
 * JAX_NUM_PROCESSES} and {@code JAX_PROCESS_ID} as {@code num_processes} and {@code process_id}.
 * The coordinator is part of process 0 and listens at its task's port.
 */
public final class JaxRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "jax";
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    List<TaskId> ranked = gang.ranked();
    int rank = ranked.indexOf(task);
    if (rank < 0) {
      return Map.of();
    }
    return Map.of(
        "JAX_COORDINATOR_ADDRESS", gang.endpoint(ranked.get(0)).toString(),
        "JAX_NUM_PROCESSES", Integer.toString(ranked.size()),
        "JAX_PROCESS_ID", Integer.toString(rank));
  }

  @Override
  public List<String> problems(JobSpec job) {
    return Gang.problemsOfFirstTask(name(), job);
  }
}
