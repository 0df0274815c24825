package io.tony.runtime;

import io.tony.model.DistributedMode;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Builds all environment variables that TonY sets for one program. In ascending precedence: the
 * job's, the role's, those that every task gets, and the framework's. Values are not expanded.
 */
public final class TaskEnvironment {
  /**
   * Maximum number of tasks whose endpoints fit into one variable: Linux limits a variable to 128
   * KiB, and an endpoint takes up to 60 characters.
   */
  static final int MAX_TASKS_IN_VARIABLE = 2_000;

  private TaskEnvironment() {}

  /**
   * Returns the environment variables of one task.
   *
   * @param gang gang of the task, with the store that the runtime needs
   * @param application id of the YARN application
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

  /**
   * Returns the number of tracked tasks that may run at the same time as the tasks of role {@code
   * own}: in GANG mode all of them; otherwise those of all tracked roles that neither depend on
   * {@code own} nor are its dependencies. Includes the tasks of {@code own} itself if it is
   * tracked.
   */
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

  /** Returns true if {@code role} starts only after {@code other} has ended. */
  private static boolean dependsOn(JobSpec job, RoleSpec role, RoleSpec other) {
    return role.dependsOn().stream()
        .anyMatch(name -> name.equals(other.name()) || dependsOn(job, job.role(name), other));
  }

  /**
   * Returns the endpoints of all tasks of the gang, as the JSON text {@code
   * {"worker":["host:port",…],…}}.
   */
  public static String clusterSpec(Gang gang) {
    return gang.once("CLUSTER_SPEC", () -> ClusterJson.write(gang.cluster()));
  }
}
