package io.tony.runtime;

import io.tony.model.TaskId;
import java.util.Map;

/**
 * Sets the variables for {@code jax.distributed.initialize} (JAX's page "Introduction to
 * multi-controller JAX"). JAX itself reads {@code JAX_COORDINATOR_ADDRESS}; the program passes
 * {@code JAX_NUM_PROCESSES} and {@code JAX_PROCESS_ID} as {@code num_processes} and {@code
 * process_id}. The coordinator runs inside process 0 and listens on the port of that process's
 * task.
 */
public final class JaxRuntime extends RankedRuntime {
  @Override
  public String name() {
    return "jax";
  }

  @Override
  Map<String, String> environment(Gang gang, TaskId task, int rank) {
    return Map.of(
        "JAX_COORDINATOR_ADDRESS", gang.endpoint(gang.first()).toString(),
        "JAX_NUM_PROCESSES", Integer.toString(gang.world()),
        "JAX_PROCESS_ID", Integer.toString(rank));
  }
}
