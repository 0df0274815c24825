package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.event.ResizeFact;
import io.tony.model.FailureKind;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gangs that go on with fewer tasks where they cannot have all. One that lacks containers starts
 * with those that it has, after a wait: a short one where some were just lost. {@link
 * ElasticScaleUp} gets it more again.
 */
final class ElasticPolicy {
  private static final Duration LOSS_GROUPING_DELAY = Duration.ofSeconds(1);

  private ElasticPolicy() {}

  /** Sets the timer that bounds the wait for containers that the gang can do without. */
  static void awaitContainers(DecisionBuilder draft) {
    if (isShort(draft.state())) {
      draft.emit(
          new SetTimer(Timer.ELASTIC, draft.state().job().limits().elasticity().waitTimeout()));
    }
  }

  /**
   * The gang can do without what was lost. What takes one container, such as a node, takes others
   * together with it, and all of that is one change.
   */
  static void scheduleShrink(DecisionBuilder draft) {
    if (isShort(draft.state())) {
      draft.emit(new SetTimer(Timer.ELASTIC, LOSS_GROUPING_DELAY));
    }
  }

  private static boolean isShort(JobState state) {
    return state.phase() == Phase.ALLOCATING
        && state.job().roles().stream()
            .anyMatch(
                role ->
                    role.isElastic() && state.tasks().count(role.name(), TaskState.REQUESTED) > 0);
  }

  /** The gang has waited long enough for more than it needs. */
  static void patienceExpired(DecisionBuilder draft) {
    if (!tryShrink(draft, "YARN did not give more")) {
      awaitContainers(draft);
    }
  }

  /**
   * Goes on with the containers that are there, where they are enough.
   *
   * @param reason they are no more, in words
   */
  static boolean tryShrink(DecisionBuilder draft, String reason) {
    JobState state = draft.state();
    List<RoleSpec> shrinking = new ArrayList<>();
    for (RoleSpec role : state.job().roles()) {
      if (state.tasks().countTogether(role.name(), TaskState.REQUESTED) > 0) {
        if (!role.isElastic() || state.tasks().containerCount(role.name()) < role.minInstances()) {
          return false;
        }
        shrinking.add(role);
      }
    }
    if (state.phase() != Phase.ALLOCATING
        || shrinking.isEmpty()
        || !AttemptLimits.allowsFreeRestart(state)) {
      return false;
    }
    shrinking.forEach(role -> shrink(draft, role, reason));
    GangStart.cancelTimersIfAllocated(draft);
    GangStart.startIfComplete(draft);
    return true;
  }

  /** How many other tasks of its role have a container. */
  static int otherContainerCount(JobState state, Task task) {
    Task now = state.tasks().get(task.id());
    return state.tasks().containerCount(task.id().role()) - (now.state().holdsContainer() ? 1 : 0);
  }

  private static void shrink(DecisionBuilder draft, RoleSpec role, String reason) {
    JobState before = draft.state();
    int instances = before.tasks().containerCount(role.name());
    Map<Integer, Integer> moved = moves(before.tasks().of(role.name()), instances);
    int attempt = before.gang().attempt() + (moved.isEmpty() ? 0 : 1);
    draft.record(
        new ResizeFact.Resized(role.name(), role.instances(), instances, attempt, moved, reason));
    draft.emit(new CancelRequests(role, before.tasks().count(role.name(), TaskState.REQUESTED)));
    moved.forEach(
        (from, to) -> {
          Task task = before.tasks().get(new TaskId(role.name(), from));
          draft.emit(
              new RestartTask(
                  task.key(),
                  new TaskId(role.name(), to),
                  attempt,
                  "it takes the place of a task without a container",
                  false));
        });
  }

  /** Tasks beyond the last one that stays take the places of those that have no container. */
  private static Map<Integer, Integer> moves(List<Task> tasks, int instances) {
    Iterator<Integer> places =
        tasks.subList(0, instances).stream()
            .filter(task -> !task.state().holdsContainer())
            .map(task -> task.id().index())
            .iterator();
    Map<Integer, Integer> moves = new TreeMap<>();
    for (Task task : tasks.subList(instances, tasks.size())) {
      if (task.state().holdsContainer()) {
        moves.put(task.id().index(), places.next());
      }
    }
    return moves;
  }

  /**
   * Whether the gang can do without the task's container, which is lost while its program ran, or
   * before it ran again: then nobody pays for the loss.
   */
  static boolean canDoWithout(JobState state, Task task, TaskFailure failure) {
    RoleSpec role = state.role(task);
    boolean containerLost =
        (failure.kind() == FailureKind.LOST || failure.kind() == FailureKind.PREEMPTED)
            && !failure.blameless();
    return role.isElastic()
        && containerLost
        && (task.started() || task.inSameContainer() || task.alone())
        && otherContainerCount(state, task) >= role.minInstances()
        && AttemptLimits.allowsFreeRestart(state);
  }
}
