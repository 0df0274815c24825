package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.util.List;

/**
 * Elastic gangs whose tasks leave and join while the programs of the others run on, where their
 * framework allows it. A member whose container is lost is asked for again, and keeps its index; a
 * new one is always the last of its role. Neither keeps the others waiting.
 */
final class Joining {
  private Joining() {}

  /** Whether the tasks of the role are members that may leave and join. */
  static boolean joins(JobState state, RoleSpec role) {
    return role.isElastic() && state.job().limits().elasticity().joins();
  }

  private static boolean isMember(JobState state, Task task) {
    return state.phase() == Phase.RUNNING
        && joins(state, state.role(task))
        && !task.id().equals(state.job().chief());
  }

  /** Whether the others go on without it until it is back. They find each other by the chief. */
  static boolean canMiss(JobState state, Task task) {
    return isMember(state, task) && Elastic.heldBesides(state, task) >= state.role(task).least();
  }

  /** Whether they go on without all of these, which have containers. */
  static boolean canMiss(JobState state, List<Task> tasks) {
    return tasks.stream()
        .allMatch(
            task -> {
              RoleSpec role = state.role(task);
              long going = tasks.stream().filter(one -> state.role(one).equals(role)).count();
              return isMember(state, task)
                  && state.tasks().holdingContainers(role.name()) - going >= role.least();
            });
  }

  /** A member that is not back yet, and is lost again, where too few others have a container. */
  static boolean isMissed(JobState state, Task task) {
    return isMember(state, task) && !isNew(state, task) && !canMiss(state, task);
  }

  /**
   * True while a container is missing that is needed: of tasks that start together each one, of
   * members as many as the gang needs, and none of a task that the job goes on without.
   */
  static boolean othersWait(JobState state) {
    return state.gathers()
        || state.job().roles().stream()
            .anyMatch(
                role ->
                    state.tasks().count(role.name(), TaskState.REQUESTED) > 0
                        && othersMiss(state, role));
  }

  /** Whether the others need the containers of the role that are asked for. */
  static boolean othersMiss(JobState state, RoleSpec role) {
    return joins(state, role)
        ? state.tasks().holdingContainers(role.name()) < role.least()
        : !state.isOptional(role);
  }

  // ---- A new member ----

  /**
   * True until its executor has registered: then its program starts. Where tasks do not join, one
   * that starts by itself and has not registered is one that was lost before it ever did.
   */
  static boolean isNew(JobState state, Task task) {
    return task.alone() && task.endpoint() == null && joins(state, state.role(task));
  }

  /** A container has come for one more. */
  static void join(Draft draft, Spares spares) {
    JobState state = draft.state();
    RoleSpec role = state.job().role(spares.role().name());
    draft.see(state.clusterView().holding(null));
    draft.record(
        SizeFact.Resized.joining(
            role.name(),
            role.instances(),
            role.instances() + 1,
            state.gang().attempt() + 1,
            "there is room for another task, which joins"));
    Growing.plan(draft);
    Starting.allocated(draft, spares.held().get(0));
  }

  /** One that was to join is lost before its program was started. */
  static void leave(Draft draft, Task task) {
    JobState state = draft.state();
    RoleSpec role = state.role(task);
    discard(draft, task);
    draft.record(
        SizeFact.Resized.joining(
            role.name(),
            role.instances(),
            role.instances() - 1,
            state.gang().attempt(),
            task.id() + " does not join"));
    Growing.plan(draft);
  }

  private static void discard(Draft draft, Task task) {
    if (draft.state().tasks().get(task.id()).state() == TaskState.REQUESTED) {
      draft.act(new CancelRequests(draft.state().role(task), 1));
    } else {
      NextStart.discard(draft, task);
    }
  }

  // ---- The end ----

  /** Its work is done, and so is that of those that would come only now. */
  static void afterSuccess(Draft draft, Task succeeded) {
    JobState state = draft.state();
    if (!isTracked(state, succeeded) || !joins(state, state.role(succeeded))) {
      return;
    }
    for (Task task : state.tasks().of(succeeded.id().role())) {
      if (isNew(state, task)) {
        leave(draft, task);
      } else if (task.state() == TaskState.REQUESTED || task.state() == TaskState.LAUNCHING) {
        discard(draft, task);
        draft.record(new TaskFact.Stopped(task.id()));
      }
    }
  }

  /** The job goes on without the role: whoever of it has no program yet is not to come any more. */
  static void afterExcuse(Draft draft, String role) {
    JobState state = draft.state();
    for (Task task : state.tasks().of(role)) {
      if (isNew(state, task)) {
        leave(draft, task);
      } else if (!task.started() && !task.state().ended()) {
        if (task.state() != TaskState.WAITING) {
          discard(draft, task);
        }
        draft.record(new TaskFact.Stopped(task.id()));
      }
    }
    Starting.whenAllocated(draft);
  }

  /**
   * Whether the work of the task's role is done, so that it need not come back; never of the chief.
   * Of a role that the job does not wait for, the end of one task says nothing.
   */
  static boolean isOver(JobState state, Task task) {
    return isMember(state, task)
        && isTracked(state, task)
        && state.tasks().count(task.id().role(), TaskState.SUCCEEDED) > 0;
  }

  private static boolean isTracked(JobState state, Task task) {
    return state.role(task).supervision() == Supervision.TRACKED;
  }
}
