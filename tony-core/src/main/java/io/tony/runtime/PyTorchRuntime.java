package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code torch.distributed} reads with {@code init_method="env://"} ({@code MASTER_ADDR},
 * {@code MASTER_PORT}, {@code RANK}, {@code WORLD_SIZE}; PyTorch's page "Distributed communication
 * package"), {@code LOCAL_RANK} and {@code LOCAL_WORLD_SIZE} as torchrun sets them (one process per
 * container), and TonY's {@code INIT_METHOD} and {@code WORLD}. Ranks count the tracked tasks, the
 * chief first, then in the order of the roles.
 */
public final class PyTorchRuntime implements FrameworkRuntime {
  @Override
  public String name() {
    return "pytorch";
  }

  @Override
  public Map<String, String> environment(JobSpec job, ClusterSpec cluster, TaskId task) {
    RoleSpec own = job.role(task.role());
    if (job.mode() == DistributedMode.FCFS || own.supervision() != Supervision.TRACKED) {
      return Map.of();
    }
    Endpoint master = cluster.of(job.chief());
    Map<String, String> environment = new LinkedHashMap<>();
    String world = Integer.toString(Ranks.world(job));
    environment.put("INIT_METHOD", "tcp://" + master);
    environment.put("MASTER_ADDR", master.host());
    environment.put("MASTER_PORT", Integer.toString(master.port()));
    environment.put("RANK", Integer.toString(Ranks.of(job, task)));
    environment.put("WORLD", world);
    environment.put("WORLD_SIZE", world);
    environment.put("LOCAL_RANK", "0");
    environment.put("LOCAL_WORLD_SIZE", "1");
    return environment;
  }

  @Override
  public List<String> problems(JobSpec job) {
    return job.role(job.chief().role()).supervision() == Supervision.TRACKED
        ? List.of()
        : List.of(
            "pytorch needs a tracked task as its master, but "
                + job.chief().role()
                + " is not tracked: take it off tony.application.untracked.jobtypes and"
                + " tony.application.sidecar.jobtypes");
  }
}
