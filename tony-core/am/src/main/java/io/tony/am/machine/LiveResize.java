package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.util.List;

/**
 * Lets tasks leave and join an elastic gang while its other programs run, if the framework supports
 * that. A "member" is a task of such a gang, except the chief. The container of a lost member is
 * requested again, and the member keeps its index; a new member gets the next higher index of its
 * role. In both cases the other tasks do not wait.
 */
final class LiveResize {
  private LiveResize() {}

  /** Returns true if tasks of the role may leave and join while the other programs run. */
  static boolean supportsLiveResize(JobState state, RoleSpec role) {
    return role.isElastic() && state.job().limits().elasticity().liveResize();
  }

  private static boolean isMember(JobState state, Task task) {
    return state.phase() == Phase.RUNNING
        && supportsLiveResize(state, state.role(task))
        && !task.id().equals(state.job().chief());
  }

  /**
   * Returns true if the gang runs on until this task is back: enough other tasks of its role have
   * containers. False for the chief, through which the tasks find each other.
   */
  static boolean canRunWithout(JobState state, Task task) {
    return isMember(state, task)
        && ElasticPolicy.otherContainerCount(state, task) >= state.role(task).minInstances();
  }

  /**
   * Returns true if the gang runs on when all of these tasks, each of which must hold a container,
   * leave together.
   */
  static boolean canRunWithout(JobState state, List<Task> tasks) {
    return tasks.stream()
        .allMatch(
            task -> {
              RoleSpec role = state.role(task);
              long leavingCount =
                  tasks.stream().filter(one -> state.role(one).equals(role)).count();
              return isMember(state, task)
                  && state.tasks().containerCount(role.name()) - leavingCount
                      >= role.minInstances();
            });
  }

  /**
   * Returns true if the task is a member of the elastic gang, but not a joining one, and the gang
   * cannot run without it, because too few other tasks of its role have a container. Called when a
   * task fails whose program does not run.
   */
  static boolean isNeededMember(JobState state, Task task) {
    return isMember(state, task) && !isJoining(state, task) && !canRunWithout(state, task);
  }

  /**
   * Returns true while a needed container is missing. A gang that is starting needs all containers.
   * A running gang needs, of a role with live resize, only the minimum; of an optional role, none;
   * of any other role, all.
   */
  static boolean isWaitingForContainers(JobState state) {
    return state.isGathering()
        || state.job().roles().stream()
            .anyMatch(
                role ->
                    state.tasks().count(role.name(), TaskState.REQUESTED) > 0
                        && isShortOf(state, role));
  }

  /**
   * Returns true if the running gang cannot do without a missing container of this role: with live
   * resize, if the role has fewer than its minimum; otherwise, if the role is not optional.
   */
  static boolean isShortOf(JobState state, RoleSpec role) {
    return supportsLiveResize(state, role)
        ? state.tasks().containerCount(role.name()) < role.minInstances()
        : !state.isOptional(role);
  }

  // ---- A new member ----

  /**
   * Returns true if the task is a new member whose executor has not registered yet. Always false
   * without live resize: there, an unregistered task that starts alone is not new, but was lost
   * before it ever registered.
   */
  static boolean isJoining(JobState state, Task task) {
    return task.alone() && task.endpoint() == null && supportsLiveResize(state, state.role(task));
  }

  /**
   * Adds a new member to the role of {@code spares}, for the first container that has arrived
   * there, and launches the executor in that container.
   */
  static void join(DecisionBuilder decision, SpareContainers spares) {
    JobState state = decision.state();
    RoleSpec role = state.job().role(spares.role().name());
    decision.noteCluster(state.clusterView().withSpares(null));
    decision.record(
        ResizeFact.Resized.liveResize(
            role.name(),
            role.instances(),
            role.instances() + 1,
            state.gang().attempt() + 1,
            "there is room for another task, which joins"));
    ElasticScaleUp.schedule(decision);
    GangStart.containerAllocated(decision, spares.held().get(0));
  }

  /**
   * Removes a new member that was lost before its program started, and makes the role smaller by
   * one.
   */
  static void cancelJoin(DecisionBuilder decision, Task task) {
    JobState state = decision.state();
    RoleSpec role = state.role(task);
    discard(decision, task);
    decision.record(
        ResizeFact.Resized.liveResize(
            role.name(),
            role.instances(),
            role.instances() - 1,
            state.gang().attempt(),
            task.id() + " does not join"));
    ElasticScaleUp.schedule(decision);
  }

  private static void discard(DecisionBuilder decision, Task task) {
    if (decision.state().tasks().get(task.id()).state() == TaskState.REQUESTED) {
      decision.emit(new CancelRequests(decision.state().role(task), 1));
    } else {
      RestartActions.discardContainer(decision, task);
    }
  }

  // ---- The end of a role's work ----

  /**
   * Handles the success of this task. If its role is tracked and has live resize, the role's work
   * is done: the role's members that wait for a container or an executor are removed.
   */
  static void handleSuccess(DecisionBuilder decision, Task succeeded) {
    JobState state = decision.state();
    if (!isTracked(state, succeeded) || !supportsLiveResize(state, state.role(succeeded))) {
      return;
    }
    for (Task task : state.tasks().of(succeeded.id().role())) {
      if (isJoining(state, task)) {
        cancelJoin(decision, task);
      } else if (task.state() == TaskState.REQUESTED || task.state() == TaskState.LAUNCHING) {
        discard(decision, task);
        decision.record(new TaskFact.Stopped(task.id()));
      }
    }
  }

  /**
   * Removes those tasks of the role whose program neither runs nor has ended, because the job goes
   * on without the role.
   */
  static void handleExcusedRole(DecisionBuilder decision, String role) {
    JobState state = decision.state();
    for (Task task : state.tasks().of(role)) {
      if (isJoining(state, task)) {
        cancelJoin(decision, task);
      } else if (!task.isRunning() && !task.state().ended()) {
        if (task.state() != TaskState.WAITING) {
          discard(decision, task);
        }
        decision.record(new TaskFact.Stopped(task.id()));
      }
    }
    GangStart.cancelTimersIfAllocated(decision);
  }

  /**
   * Returns true if the role's work is done, so that a lost member need not come back: another
   * member has succeeded. False for the chief, and for untracked roles, where the success of one
   * task does not show that the work is done.
   */
  static boolean isRoleWorkDone(JobState state, Task task) {
    return isMember(state, task)
        && isTracked(state, task)
        && state.tasks().count(task.id().role(), TaskState.SUCCEEDED) > 0;
  }

  private static boolean isTracked(JobState state, Task task) {
    return state.role(task).supervision() == Supervision.TRACKED;
  }
}
