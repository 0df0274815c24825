package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.util.List;

/**
 * Elastic gangs whose tasks leave and join while the programs of the others run on, where their
 * framework allows it. A member whose container is lost is asked for again, and keeps its index; a
 * new one is always the last of its role. Neither keeps the others waiting.
 */
final class LiveResize {
  private LiveResize() {}

  /** Whether the tasks of the role are members that may leave and join. */
  static boolean supportsLiveResize(JobState state, RoleSpec role) {
    return role.isElastic() && state.job().limits().elasticity().liveResize();
  }

  private static boolean isMember(JobState state, Task task) {
    return state.phase() == Phase.RUNNING
        && supportsLiveResize(state, state.role(task))
        && !task.id().equals(state.job().chief());
  }

  /** Whether the others go on without it until it is back. They find each other by the chief. */
  static boolean canRunWithout(JobState state, Task task) {
    return isMember(state, task)
        && ElasticPolicy.otherContainerCount(state, task) >= state.role(task).minInstances();
  }

  /** Whether they go on without all of these, which have containers. */
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

  /** A member that is not back yet, and is lost again, where too few others have a container. */
  static boolean isMissed(JobState state, Task task) {
    return isMember(state, task) && !isJoining(state, task) && !canRunWithout(state, task);
  }

  /**
   * True while a container is missing that is needed: of tasks that start together each one, of
   * members as many as the gang needs, and none of a task that the job goes on without.
   */
  static boolean isWaitingForContainers(JobState state) {
    return state.isGathering()
        || state.job().roles().stream()
            .anyMatch(
                role ->
                    state.tasks().count(role.name(), TaskState.REQUESTED) > 0
                        && isShortOf(state, role));
  }

  /** Whether the others need the containers of the role that are asked for. */
  static boolean isShortOf(JobState state, RoleSpec role) {
    return supportsLiveResize(state, role)
        ? state.tasks().containerCount(role.name()) < role.minInstances()
        : !state.isOptional(role);
  }

  // ---- A new member ----

  /**
   * True until its executor has registered: then its program starts. Where tasks do not join, one
   * that starts by itself and has not registered is one that was lost before it ever did.
   */
  static boolean isJoining(JobState state, Task task) {
    return task.alone() && task.endpoint() == null && supportsLiveResize(state, state.role(task));
  }

  /** A container has come for one more. */
  static void join(DecisionBuilder draft, SpareContainers spares) {
    JobState state = draft.state();
    RoleSpec role = state.job().role(spares.role().name());
    draft.noteCluster(state.clusterView().withSpares(null));
    draft.record(
        ResizeFact.Resized.liveResize(
            role.name(),
            role.instances(),
            role.instances() + 1,
            state.gang().attempt() + 1,
            "there is room for another task, which joins"));
    ElasticScaleUp.schedule(draft);
    GangStart.containerAllocated(draft, spares.held().get(0));
  }

  /** One that was to join is lost before its program was started. */
  static void cancelJoin(DecisionBuilder draft, Task task) {
    JobState state = draft.state();
    RoleSpec role = state.role(task);
    discard(draft, task);
    draft.record(
        ResizeFact.Resized.liveResize(
            role.name(),
            role.instances(),
            role.instances() - 1,
            state.gang().attempt(),
            task.id() + " does not join"));
    ElasticScaleUp.schedule(draft);
  }

  private static void discard(DecisionBuilder draft, Task task) {
    if (draft.state().tasks().get(task.id()).state() == TaskState.REQUESTED) {
      draft.emit(new CancelRequests(draft.state().role(task), 1));
    } else {
      RestartActions.discardContainer(draft, task);
    }
  }

  // ---- The end ----

  /** Its work is done, and so is that of those that would come only now. */
  static void afterSuccess(DecisionBuilder draft, Task succeeded) {
    JobState state = draft.state();
    if (!isTracked(state, succeeded) || !supportsLiveResize(state, state.role(succeeded))) {
      return;
    }
    for (Task task : state.tasks().of(succeeded.id().role())) {
      if (isJoining(state, task)) {
        cancelJoin(draft, task);
      } else if (task.state() == TaskState.REQUESTED || task.state() == TaskState.LAUNCHING) {
        discard(draft, task);
        draft.record(new TaskFact.Stopped(task.id()));
      }
    }
  }

  /** The job goes on without the role: whoever of it has no program yet is not to come any more. */
  static void afterExcuse(DecisionBuilder draft, String role) {
    JobState state = draft.state();
    for (Task task : state.tasks().of(role)) {
      if (isJoining(state, task)) {
        cancelJoin(draft, task);
      } else if (!task.started() && !task.state().ended()) {
        if (task.state() != TaskState.WAITING) {
          discard(draft, task);
        }
        draft.record(new TaskFact.Stopped(task.id()));
      }
    }
    GangStart.cancelTimersIfAllocated(draft);
  }

  /**
   * Whether the work of the task's role is done, so that it need not come back; never of the chief.
   * Of a role that the job does not wait for, the end of one task says nothing.
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
