package io.tony.runtime;

import io.tony.model.Endpoint;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Sets the variables for programs of {@code torch.distributed}, for each of the three ways in which
 * such a program gets its rank:
 *
 * <ul>
 *   <li>{@code init_method="env://"}: {@code MASTER_ADDR}, {@code MASTER_PORT}, {@code RANK},
 *       {@code WORLD_SIZE} (PyTorch's page "Distributed communication package", section
 *       "Environment variable initialization"), {@code LOCAL_RANK} and {@code LOCAL_WORLD_SIZE};
 *       and {@code NODE_RANK}, which Lightning reads (its page "Run on an on-prem cluster").
 *   <li>The variables of LinkedIn's TonY: {@code INIT_METHOD}, {@code RANK} and {@code WORLD}.
 *   <li>{@code torchrun} as the command of every task, which starts one torchrun agent per
 *       container. The agents read their options from variables {@code PET_*} (page "torchrun
 *       (Elastic Launch)"; {@code torch/distributed/argparse_util.py} defines the prefix), and find
 *       each other by the c10d rendezvous at the port of rank 0. Agents may join a running gang if
 *       the gang's tasks may. Each agent starts one process per GPU of its container. The user's
 *       values of these variables take precedence: {@code PET_NPROC_PER_NODE=4}, or {@code
 *       PET_NNODES=2:4} for a job that continues without a lost agent (docs/frameworks.md,
 *       "pytorch").
 * </ul>
 */
public final class PyTorchRuntime extends RankedRuntime {
  /**
   * How long, in seconds, agents wait for further agents once the minimum number has arrived, in a
   * gang that tasks may join.
   */
  private static final int LAST_CALL_S = 5;

  /**
   * How often a torchrun agent restarts its processes, for example after the loss of another agent.
   * torchrun's default is 0.
   */
  private static final int MAX_RESTARTS = 10;

  /** CUDA's environment variable that lists the GPUs a program may use, separated by commas. */
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

  /**
   * Returns the number of processes that torchrun starts in the task's container: one for each GPU
   * that its programs may use, at least one.
   */
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
    // Without is_host, each agent compares host names to find out whether it is the host of the
    // rendezvous, which fails if two agents share a node.
    String host = rank == 0 ? "is_host=1" : "is_host=0";
    options.put("PET_RDZV_CONF", joins ? host + ",last_call_timeout=" + LAST_CALL_S : host);
    if (joins) {
      options.put("PET_MAX_RESTARTS", Integer.toString(MAX_RESTARTS));
      // Otherwise rank 0's agent publishes its store's address only once, from PyTorch 2.4 on, and
      // an agent that joins in a later round waits for it in vain, for a minute.
      options.put("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1");
    }
    options.put("PET_LOCAL_ADDR", gang.endpoint(task).host());
    return withoutUserSet(gang, task, options);
  }
}
