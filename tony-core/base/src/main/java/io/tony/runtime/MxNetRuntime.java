package io.tony.runtime;

import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sets the variables for MXNet's parameter server (MXNet's page "Distributed Training in MXNet",
 * section "Manually launching jobs"): {@code DMLC_ROLE}, {@code DMLC_PS_ROOT_URI} and {@code
 * DMLC_PS_ROOT_PORT} of the single scheduler, {@code DMLC_NUM_SERVER} and {@code DMLC_NUM_WORKER}.
 * The job's roles must be called {@code scheduler}, {@code server} and {@code worker}; tasks of
 * other roles get no variables.
 *
 * <p>The scheduler of ps-lite (MXNet's parameter server library) would bind to the host name to
 * which the other tasks connect, which ZeroMQ does not allow. {@code DMLC_USE_KUBERNETES} makes it
 * bind to all addresses instead (ps-lite's {@code zmq_van.h}). Servers and workers use the address
 * of the node's first network interface, or of the one that the user sets in {@code
 * DMLC_INTERFACE}.
 */
public final class MxNetRuntime implements FrameworkRuntime {
  private static final String SCHEDULER = "scheduler";
  private static final String SERVER = "server";
  private static final String WORKER = "worker";
  private static final Set<String> ROLES = Set.of(SCHEDULER, SERVER, WORKER);

  @Override
  public String name() {
    return "mxnet";
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    if (gang.job().mode() == DistributedMode.FCFS
        || !ROLES.contains(task.role())
        || gang.size(SCHEDULER) == 0) {
      return Map.of();
    }
    Endpoint root = gang.endpoint(new TaskId(SCHEDULER, 0));
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("DMLC_ROLE", task.role());
    environment.put("DMLC_PS_ROOT_URI", root.host());
    environment.put("DMLC_PS_ROOT_PORT", Integer.toString(root.port()));
    environment.put("DMLC_NUM_SERVER", Integer.toString(gang.size(SERVER)));
    environment.put("DMLC_NUM_WORKER", Integer.toString(gang.size(WORKER)));
    environment.put("DMLC_USE_KUBERNETES", "1");
    return environment;
  }

  @Override
  public List<String> problems(JobSpec job) {
    List<String> problems = new ArrayList<>();
    int schedulers = instances(job, SCHEDULER);
    if (schedulers != 1) {
      problems.add(
          "mxnet needs exactly one scheduler, the job has "
              + schedulers
              + ": set tony.scheduler.instances=1");
    }
    for (String role : List.of(SERVER, WORKER)) {
      if (instances(job, role) == 0) {
        problems.add("mxnet needs a role " + role + ": set tony." + role + ".instances");
      }
    }
    return problems;
  }

  private static int instances(JobSpec job, String role) {
    return job.roles().stream()
        .filter(spec -> spec.name().equals(role))
        .mapToInt(RoleSpec::instances)
        .sum();
  }
}
