package io.tony.runtime;

import io.tony.model.ClusterSpec;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;

/**
 * One framework: a pure function from a job's cluster and a task to the environment that the
 * framework's documentation asks for. It runs in the ApplicationMaster. Implementations are found
 * by {@link java.util.ServiceLoader}; they have no state.
 */
public interface FrameworkRuntime {

  /** The value of {@code tony.application.framework}, in lower case. */
  String name();

  /**
   * The variables of this framework for one task; those that every task has are added by {@link
   * TaskEnvironment}.
   */
  Map<String, String> environment(JobSpec job, ClusterSpec cluster, TaskId task);

  /** What makes the job impossible for this framework, each with its remedy; usually nothing. */
  default List<String> problems(JobSpec job) {
    return List.of();
  }
}
