package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;

/**
 * One framework: a pure function from a gang and a task to the environment that the framework's
 * documentation asks for. It runs in the ApplicationMaster. Implementations are found by {@link
 * java.util.ServiceLoader}; they have a public constructor without parameters and no state.
 */
public interface FrameworkRuntime {

  /** The value of {@code tony.application.framework}, in lower case. */
  String name();

  /**
   * The variables of this framework for one task of the gang's cluster; those that every task has
   * are added by {@link TaskEnvironment}. They win over what the user set.
   */
  Map<String, String> environment(Gang gang, TaskId task);

  /** The store that {@link Gang#store} must hold; it lives as long as the gang. */
  default StoreProtocol store() {
    return StoreProtocol.NONE;
  }

  /**
   * Whether programs of this framework may run on while tasks of their gang leave it and others
   * join it ({@code tony.elastic.live-resize}). A task that joins is told of the gang as it is
   * then.
   */
  default boolean canJoin() {
    return false;
  }

  /** What makes the job impossible for this framework, each with its remedy; usually nothing. */
  default List<String> problems(JobSpec job) {
    return List.of();
  }
}
