package io.tony.runtime;

import io.tony.model.DistributedMode;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The whole environment of one user's process, lowest first: the job's, the role's, what every task
 * is told, what the framework asks for. Values are exact: nothing expands them.
 */
public final class TaskEnvironment {
  /**
   * Linux takes no variable above 128 KiB, and an endpoint takes up to 60 characters: a larger
   * cluster cannot be told by one.
   */
  static final int MAX_TASKS_IN_VARIABLE = 2_000;

  private TaskEnvironment() {}

  /**
   * The environment of one task.
   *
   * @param gang holds the store that the runtime asks for
   * @param application YARN's id
   */
  public static Map<String, String> of(
      FrameworkRuntime runtime, Gang gang, TaskId task, String application) {
    JobSpec job = gang.job();
    RoleSpec role = job.role(task.role());
    Map<String, String> environment = new LinkedHashMap<>(job.env());
    environment.putAll(role.env());
    environment.put("JOB_NAME", task.role());
    environment.put("TASK_INDEX", Integer.toString(task.index()));
    environment.put("TASK_NUM", Integer.toString(trackedTaskCount(gang, role)));
    environment.put("IS_CHIEF", Boolean.toString(task.equals(job.chief())));
    environment.put("SESSION_ID", Integer.toString(gang.session()));
    environment.put("DISTRIBUTED_MODE", job.mode().name());
    environment.put("APPID", application);
    environment.put("JOB_ID", application);
    if (job.mode() == DistributedMode.GANG && job.taskCount() <= MAX_TASKS_IN_VARIABLE) {
      environment.put("CLUSTER_SPEC", clusterSpec(gang));
    }
    environment.putAll(runtime.environment(gang, task));
    return environment;
  }

  /** How many tasks the job waits for, of the roles that are there at the same time as this one. */
  private static int trackedTaskCount(Gang gang, RoleSpec own) {
    if (gang.job().mode() == DistributedMode.GANG) {
      return gang.world();
    }
    JobSpec job = gang.job();
    return job.roles().stream()
        .filter(role -> role.supervision() == Supervision.TRACKED)
        .filter(role -> !dependsOn(job, own, role) && !dependsOn(job, role, own))
        .mapToInt(RoleSpec::instances)
        .sum();
  }

  /** Whether a role starts only when the other has ended. */
  private static boolean dependsOn(JobSpec job, RoleSpec role, RoleSpec other) {
    return role.dependsOn().stream()
        .anyMatch(name -> name.equals(other.name()) || dependsOn(job, job.role(name), other));
  }

  /** The addresses of all tasks as {@code {"worker":["host:port",…],…}}. */
  public static String clusterSpec(Gang gang) {
    return gang.once("CLUSTER_SPEC", () -> ClusterJson.write(gang.cluster()));
  }
}
