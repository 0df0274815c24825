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
 * Lets elastic gangs run with fewer tasks than configured. A gang that lacks containers starts with
 * those it has: after a time limit, or after a short delay if it has just lost containers. {@link
 * ElasticScaleUp} adds tasks again later.
 */
final class ElasticPolicy {
  private static final Duration LOSS_GROUPING_DELAY = Duration.ofSeconds(1);

  private ElasticPolicy() {}

  /**
   * Sets the timer after which the gang tries to start with the containers it has, if an elastic
   * role lacks containers.
   */
  static void awaitContainers(DecisionBuilder decision) {
    if (isShort(decision.state())) {
      decision.emit(
          new SetTimer(Timer.ELASTIC, decision.state().job().limits().elasticity().waitTimeout()));
    }
  }

  /**
   * Sets a short timer after a loss, at whose expiry the gang shrinks. A cause such as a failed
   * node often takes several containers; the delay combines their losses into one change of size.
   */
  static void scheduleShrink(DecisionBuilder decision) {
    if (isShort(decision.state())) {
      decision.emit(new SetTimer(Timer.ELASTIC, LOSS_GROUPING_DELAY));
    }
  }

  private static boolean isShort(JobState state) {
    return state.phase() == Phase.ALLOCATING
        && state.job().roles().stream()
            .anyMatch(
                role ->
                    role.isElastic() && state.tasks().count(role.name(), TaskState.REQUESTED) > 0);
  }

  /**
   * Handles the expiry of {@link Timer.Kind#ELASTIC}: shrinks the gang to the containers it has. If
   * that is not possible, sets the timer again.
   */
  static void waitExpired(DecisionBuilder decision) {
    if (!tryShrink(decision, "YARN did not give more")) {
      awaitContainers(decision);
    }
  }

  /**
   * Shrinks every role that lacks containers to the number of containers it has, and starts the
   * gang if it is complete then. Returns false, and changes nothing, if the gang does not wait for
   * containers, if a role that lacks containers is not elastic or has fewer than its minimum, or if
   * no free restart is allowed.
   *
   * @param reason why there are no more containers, for people
   */
  static boolean tryShrink(DecisionBuilder decision, String reason) {
    JobState state = decision.state();
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
    shrinking.forEach(role -> shrink(decision, role, reason));
    GangStart.cancelTimersIfAllocated(decision);
    GangStart.startIfAllRegistered(decision);
    return true;
  }

  /** Returns the number of other tasks of the same role that hold a container. */
  static int otherContainerCount(JobState state, Task task) {
    Task now = state.tasks().get(task.id());
    return state.tasks().containerCount(task.id().role()) - (now.state().holdsContainer() ? 1 : 0);
  }

  private static void shrink(DecisionBuilder decision, RoleSpec role, String reason) {
    JobState before = decision.state();
    int instances = before.tasks().containerCount(role.name());
    Map<Integer, Integer> moved = moves(before.tasks().of(role.name()), instances);
    int attempt = before.gang().attempt() + (moved.isEmpty() ? 0 : 1);
    decision.record(
        new ResizeFact.Resized(role.name(), role.instances(), instances, attempt, moved, reason));
    decision.emit(new CancelRequests(role, before.tasks().count(role.name(), TaskState.REQUESTED)));
    moved.forEach(
        (from, to) -> {
          Task task = before.tasks().get(new TaskId(role.name(), from));
          decision.emit(
              new RestartTask(
                  task.key(),
                  new TaskId(role.name(), to),
                  attempt,
                  "it takes the place of a task without a container",
                  false));
        });
  }

  /**
   * Returns the tasks whose index changes when their role shrinks: the new index, by the old one. A
   * task with a container whose index is too high for the smaller role takes the index of a task
   * without a container.
   *
   * @param instances number of tasks of the smaller role
   */
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
   * Returns true if the gang can run without this task, which has lost its container while its
   * program ran or while it waited for a restart: its role is elastic, enough other tasks of the
   * role have containers, and a free restart is allowed. No retry budget pays for such a loss.
   */
  static boolean canDoWithout(JobState state, Task task, TaskFailure failure) {
    RoleSpec role = state.role(task);
    boolean containerLost =
        (failure.kind() == FailureKind.LOST || failure.kind() == FailureKind.PREEMPTED)
            && !failure.blameless();
    return role.isElastic()
        && containerLost
        && (task.isRunning() || task.inSameContainer() || task.alone())
        && otherContainerCount(state, task) >= role.minInstances()
        && AttemptLimits.allowsFreeRestart(state);
  }
}
