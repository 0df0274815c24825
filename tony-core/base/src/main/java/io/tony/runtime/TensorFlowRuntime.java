package io.tony.runtime;

import io.tony.model.DistributedMode;
import io.tony.model.JobSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Sets {@code TF_CONFIG} as TensorFlow's guide "Distributed training with TensorFlow" defines it:
 * the cluster by role, and the role and index of the task itself. Sidecars are not part of the
 * cluster. An evaluator gets the cluster, but is not part of the cluster that other tasks get (the
 * guide's section on TF_CONFIG).
 */
public final class TensorFlowRuntime implements FrameworkRuntime {
  private static final String EVALUATOR = "evaluator";

  @Override
  public String name() {
    return "tensorflow";
  }

  @Override
  public Map<String, String> environment(Gang gang, TaskId task) {
    JobSpec job = gang.job();
    if (job.mode() == DistributedMode.FCFS || isSidecar(job, task.role())) {
      return Map.of();
    }
    // Concatenated, so that the JSON of the cluster, which many tasks share, is created only once.
    String config =
        "{\"cluster\":" + cluster(gang, task) + ",\"task\":" + ClusterJson.write(task) + "}";
    return Map.of("TF_CONFIG", config);
  }

  /** Returns the part {@code cluster} of the task's {@code TF_CONFIG}, as JSON. */
  static String cluster(Gang gang, TaskId task) {
    boolean isEvaluator = task.role().equals(EVALUATOR);
    Predicate<String> member =
        role -> !isSidecar(gang.job(), role) && (isEvaluator || !role.equals(EVALUATOR));
    return gang.once(
        isEvaluator ? "tensorflow.cluster.evaluator" : "tensorflow.cluster",
        () -> ClusterJson.write(ClusterJson.members(gang.cluster(), member)));
  }

  @Override
  public List<String> problems(JobSpec job) {
    return job.taskCount() <= TaskEnvironment.MAX_TASKS_IN_VARIABLE
        ? List.of()
        : List.of(
            "tensorflow gets its cluster from the variable TF_CONFIG, which holds at most "
                + TaskEnvironment.MAX_TASKS_IN_VARIABLE
                + " tasks; the job has "
                + job.taskCount()
                + ". Lower tony.<role>.instances");
  }

  private static boolean isSidecar(JobSpec job, String role) {
    return job.role(role).supervision() == Supervision.SIDECAR;
  }
}
