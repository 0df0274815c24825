package io.tony.runtime;

import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;

/**
 * Adapter for one framework: computes, for a gang and one of its tasks, the environment variables
 * that the framework's documentation asks for. For example, for a framework that reads a rank and a
 * leader's address:
 *
 * <pre>{@code
 * public final class PaddleRuntime implements FrameworkRuntime {
 *   @Override
 *   public String name() {
 *     return "paddle";
 *   }
 *
 *   @Override
 *   public Map<String, String> environment(Gang gang, TaskId task) {
 *     int rank = gang.rank(task);
 *     return rank < 0
 *         ? Map.of()
 *         : Map.of(
 *             "PADDLE_TRAINER_ID", Integer.toString(rank),
 *             "PADDLE_TRAINERS_NUM", Integer.toString(gang.world()),
 *             "PADDLE_CURRENT_ENDPOINT", gang.endpoint(task).toString());
 *   }
 * }
 * }</pre>
 *
 * <p>Found by {@link java.util.ServiceLoader}: the class has a public constructor without
 * parameters, and its jar names it in {@code META-INF/services/io.tony.runtime.FrameworkRuntime}
 * (docs/add-a-framework.md). The client calls {@link #name}, {@link #store}, {@link #canJoin} and
 * {@link #problems} before it submits a job; the ApplicationMaster calls {@link #name}, {@link
 * #store} and {@link #environment}. Implementations have no state, do no I/O, and return the same
 * result for the same arguments. No argument is null, and no method returns null.
 */
public interface FrameworkRuntime {

  /**
   * Returns the value of {@code tony.application.framework} that selects this runtime, in lower
   * case. Unique among the runtimes on the class path.
   */
  String name();

  /**
   * Returns the framework's environment variables for one task. {@link TaskEnvironment} adds the
   * variables that every task has. The returned variables override the user's; to give the user's
   * precedence, omit those that {@code gang.job().env()} or the role's environment sets.
   *
   * <p>Called once for each task. Compute a value that depends on all tasks with {@link Gang#once}.
   *
   * @param gang cluster of the task, with the host and port of every member
   * @param task one of the gang's tasks; has no rank if the job does not wait for it
   * @return values by name, not expanded; empty if the task takes no part in the framework. Neither
   *     keys nor values are null
   * @throws RuntimeException if the environment cannot be computed; ends the ApplicationMaster
   */
  Map<String, String> environment(Gang gang, TaskId task);

  /**
   * Returns which store the tasks need to find each other; the ApplicationMaster runs the store.
   * Unless {@link StoreProtocol#NONE}, {@link Gang#storeAddress} returns its address. Each start of
   * the gang gets a new, empty store.
   */
  default StoreProtocol store() {
    return StoreProtocol.NONE;
  }

  /**
   * Returns true if programs of this framework keep running while tasks leave their gang and others
   * join it ({@code tony.elastic.live-resize}). A joining task gets the environment that is
   * computed from the gang at that time.
   */
  default boolean canJoin() {
    return false;
  }

  /**
   * Returns the reasons why this framework cannot run the job; empty if it can. Each reason is a
   * sentence for the user that names the remedy. Called before the job is submitted.
   *
   * @param job job with at least one role
   */
  default List<String> problems(JobSpec job) {
    return List.of();
  }
}
