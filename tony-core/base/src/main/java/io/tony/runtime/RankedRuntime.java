package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Base class for frameworks without roles: only tasks with a rank get variables. */
abstract class RankedRuntime implements FrameworkRuntime {
  @Override
  public final Map<String, String> environment(Gang gang, TaskId task) {
    int rank = gang.rank(task);
    return rank < 0 ? Map.of() : environment(gang, task, rank);
  }

  /** Returns the environment variables of a task with this rank. */
  abstract Map<String, String> environment(Gang gang, TaskId task, int rank);

  /**
   * Returns a modifiable copy of {@code values} without the variables that the user has set for the
   * job or the task's role.
   */
  static Map<String, String> withoutUserSet(Gang gang, TaskId task, Map<String, String> values) {
    Map<String, String> remaining = new LinkedHashMap<>(values);
    remaining.keySet().removeAll(gang.job().env().keySet());
    remaining.keySet().removeAll(gang.job().role(task.role()).env().keySet());
    return remaining;
  }

  @Override
  public List<String> problems(JobSpec job) {
    return Gang.firstTaskProblems(name(), job);
  }
}
