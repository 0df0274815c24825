package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Programs of {@code torch.distributed}, in each of the three ways in which they learn their rank:
 *
 * <ul>
 *   <li>{@code init_method="env://"}: {@code MASTER_ADDR}, {@code MASTER_PORT}, {@code RANK},
 *       {@code WORLD_SIZE} (PyTorch's page "Distributed communication package", section
 *       "Environment variable initialization"), {@code LOCAL_RANK} and {@code LOCAL_WORLD_SIZE};
 *       and {@code NODE_RANK}, which Lightning reads (its page "Run on an on-prem cluster").
 *   <li>TonY's {@code INIT_METHOD}, {@code RANK} and {@code WORLD}.
 *   <li>{@code torchrun} as the command of every task, one agent per container: its options come as
 *       {@code PET_*} (page "torchrun (Elastic Launch)"; {@code torch/distributed/argparse_util.py}
 *       names the prefix). The agents meet at rank 0's port by the c10d rendezvous. Where tasks may
 *       join a gang that runs, so may agents. Each agent starts a process per GPU of its container.
 *       What the user sets of these wins: {@code PET_NPROC_PER_NODE=4}, or {@code PET_NNODES=2:4}
 *       for a job that goes on without an agent that dies (docs/frameworks.md, "pytorch").
 * </ul>
 */
public final class PyTorchRuntime extends RankedRuntime {
  /** How long agents wait for more of them, where tasks may join, once there are enough. */
  private static final int LAST_CALL_S = 5;

  /** How often an agent starts its processes again, as when another is lost; torchrun's own: 0. */
  private static final int MAX_RESTARTS = 10;

  /** CUDA's list of the GPUs that a program is to see, joined with commas. */
  private static final String VISIBLE_GPUS = "CUDA_VISIBLE_DEVICES";

  @Override
  public String name() {
    return "pytorch";
  }

  @Override
  public boolean canJoin() {
    return true;
  }

  @Override
  Map<String, String> environment(Gang gang, TaskId task, int rank) {
    Endpoint master = gang.endpoint(gang.first());
    Map<String, String> environment = launcher(gang, task, rank);
    String world = Integer.toString(gang.world());
    environment.put("INIT_METHOD", "tcp://" + master);
    environment.put("MASTER_ADDR", master.host());
    environment.put("MASTER_PORT", Integer.toString(master.port()));
    environment.put("RANK", Integer.toString(rank));
    environment.put("WORLD", world);
    environment.put("WORLD_SIZE", world);
    environment.put("NODE_RANK", Integer.toString(rank));
    environment.put("LOCAL_RANK", "0");
    environment.put("LOCAL_WORLD_SIZE", "1");
    return environment;
  }

  /** One for each GPU that the programs of the container see; one where it has none. */
  private static long processes(Gang gang, TaskId task) {
    RoleSpec role = gang.job().role(task.role());
    String visible =
        role.env().getOrDefault(VISIBLE_GPUS, gang.job().env().getOrDefault(VISIBLE_GPUS, ""));
    long named = Stream.of(visible.split(",")).filter(gpu -> !gpu.isBlank()).count();
    long gpus = role.resource().gpus();
    return Math.max(1, named > 0 ? Math.min(named, gpus) : gpus);
  }

  private static Map<String, String> launcher(Gang gang, TaskId task, int rank) {
    Map<String, String> options = new LinkedHashMap<>();
    boolean joins = gang.job().isElastic() && gang.job().limits().elasticity().liveResize();
    options.put(
        "PET_NNODES",
        joins ? gang.minWorld() + ":" + gang.maxWorld() : Integer.toString(gang.world()));
    options.put("PET_NPROC_PER_NODE", Long.toString(processes(gang, task)));
    options.put("PET_RDZV_BACKEND", "c10d");
    options.put("PET_RDZV_ENDPOINT", gang.endpoint(gang.first()).toString());
    options.put("PET_RDZV_ID", gang.job().name() + "-" + gang.session());
    // Left to itself an agent compares host names, which says nothing where two share a node.
    String host = rank == 0 ? "is_host=1" : "is_host=0";
    options.put("PET_RDZV_CONF", joins ? host + ",last_call_timeout=" + LAST_CALL_S : host);
    if (joins) {
      options.put("PET_MAX_RESTARTS", Integer.toString(MAX_RESTARTS));
    }
    options.put("PET_LOCAL_ADDR", gang.endpoint(task).host());
    return withoutUserSet(gang, task, options);
  }
}
