package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.util.List;

/**
 * Lets tasks leave and join an elastic gang while the other programs run, if the framework supports
 * it. A member whose container is lost is requested again and keeps its index; a new member gets
 * the last index of its role. The other tasks do not wait in either case.
 */
final class LiveResize {
  private LiveResize() {}

  /** Returns true if the tasks of the role may leave and join. */
  static boolean supportsLiveResize(JobState state, RoleSpec role) {
    return role.isElastic() && state.job().limits().elasticity().liveResize();
  }

  private static boolean isMember(JobState state, Task task) {
    return state.phase() == Phase.RUNNING
        && supportsLiveResize(state, state.role(task))
        && !task.id().equals(state.job().chief());
  }

  /**
   * Returns true if the other tasks go on without this task until it is back. Never for the chief,
   * through which the tasks find each other.
   */
  static boolean canRunWithout(JobState state, Task task) {
    return isMember(state, task)
        && ElasticPolicy.otherContainerCount(state, task) >= state.role(task).minInstances();
  }

  /** Returns true if the gang goes on without all of these tasks, which have containers. */
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
   * Returns true for a member that was lost again before it was back, if too few others have a
   * container.
   */
  static boolean isMissed(JobState state, Task task) {
    return isMember(state, task) && !isJoining(state, task) && !canRunWithout(state, task);
  }

  /**
   * Returns true while a needed container is missing. A gang's start needs every container, a
   * running gang with live resize only its minimum, and an optional role none.
   */
  static boolean isWaitingForContainers(JobState state) {
    return state.isGathering()
        || state.job().roles().stream()
            .anyMatch(
                role ->
                    state.tasks().count(role.name(), TaskState.REQUESTED) > 0
                        && isShortOf(state, role));
  }

  /** Returns true if the other tasks need the requested containers of the role. */
  static boolean isShortOf(JobState state, RoleSpec role) {
    return supportsLiveResize(state, role)
        ? state.tasks().containerCount(role.name()) < role.minInstances()
        : !state.isOptional(role);
  }

  // ---- A new member ----

  /**
   * Returns true until the executor of a new member has registered and its program starts. Without
   * live resize, a task alone and unregistered is a task that was lost before it ever registered.
   */
  static boolean isJoining(JobState state, Task task) {
    return task.alone() && task.endpoint() == null && supportsLiveResize(state, state.role(task));
  }

  /** Adds a member for a container that has arrived. */
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

  /** Removes a new member that was lost before its program started. */
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

  // ---- The end ----

  /** Removes members without a program after a member has succeeded, because their work is done. */
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

  /** Removes the role's members without a program, because the job goes on without the role. */
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
   * Returns true if the work of the task's role is done, so that the task need not come back. False
   * for the chief, and for untracked roles, where the end of one task does not show that the work
   * is done.
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
