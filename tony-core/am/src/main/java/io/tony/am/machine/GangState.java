package io.tony.am.machine;

import io.tony.event.ResizeFact;
import io.tony.model.FailureKind;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tasks of the gang's current start, and the gang's history. Immutable.
 *
 * @param session number of the gang's start, from 0
 * @param attempt highest attempt number of any task
 * @param backoffCount how often the gang gave its containers back in order to request them again
 * @param charges number of losses that the job's retry budgets were charged for, by failure kind,
 *     since all executors were registered last
 * @param excusedRoles roles that the job goes on without
 * @param outputChars number of characters of all outputs that the tasks have produced
 * @param gangFailure the last failure for which the gang restarted or the job ended
 * @param checkpoints the checkpoints of the tasks
 * @param resizes the gang's changes of size
 */
record GangState(
    int session,
    int attempt,
    TaskTable tasks,
    int backoffCount,
    Map<FailureKind, Integer> charges,
    Set<String> excusedRoles,
    int outputChars,
    GangFailure gangFailure,
    CheckpointState checkpoints,
    Resizes resizes) {
  GangState {
    charges = Map.copyOf(charges);
    excusedRoles = Set.copyOf(excusedRoles);
  }

  GangState with(TaskTable next) {
    return new GangState(
        session,
        attempt,
        next,
        backoffCount,
        charges,
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints,
        resizes);
  }

  GangState with(GangFailure next) {
    return new GangState(
        session,
        attempt,
        tasks,
        backoffCount,
        charges,
        excusedRoles,
        outputChars,
        next,
        checkpoints,
        resizes);
  }

  GangState with(CheckpointState next) {
    return new GangState(
        session,
        attempt,
        tasks,
        backoffCount,
        charges,
        excusedRoles,
        outputChars,
        gangFailure,
        next,
        resizes);
  }

  GangState withGrowth(Instant at) {
    return new GangState(
        session,
        attempt,
        tasks,
        backoffCount,
        charges,
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints,
        resizes.withGrowth(at));
  }

  /**
   * Returns a copy after a change of the gang's size. Tasks that moved have a new attempt number.
   *
   * @param next all tasks after the change
   */
  GangState resized(ResizeFact.Resized fact, TaskTable next) {
    return new GangState(
        session,
        Math.max(attempt, fact.attempt()),
        next,
        backoffCount,
        charges,
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints.afterResize(),
        fact.shrinks() ? resizes.withShrink() : resizes);
  }

  /**
   * Returns a copy after the restart of a single task; the number of the gang's start is unchanged.
   *
   * @param task the task in its next attempt
   */
  GangState nextAttempt(Task task) {
    return new GangState(
        session,
        task.attempt(),
        tasks.with(task),
        backoffCount,
        charges,
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints,
        resizes);
  }

  GangState nextSession(int nextAttempt, TaskTable next) {
    return new GangState(
        session + 1,
        nextAttempt,
        next,
        backoffCount,
        charges,
        Set.of(),
        outputChars,
        gangFailure,
        checkpoints.afterRestart(),
        resizes.afterRestart());
  }

  GangState backedOff(TaskTable next) {
    return new GangState(
        session,
        attempt,
        next,
        backoffCount + 1,
        charges,
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints,
        resizes);
  }

  /**
   * Returns true if the next loss of this task is covered by an earlier charge for the loss of
   * another task. The failure of a node or a burst of preemptions takes many tasks together, and
   * their losses cost one charge in total. Another charge is due only for a task that is lost more
   * often than charges were made.
   */
  boolean isAlreadyCharged(Task task, FailureKind kind) {
    return task.losses().getOrDefault(kind, 0) < charges.getOrDefault(kind, 0);
  }

  GangState withCharge(FailureKind kind) {
    Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
    next.putAll(charges);
    next.merge(kind, 1, Integer::sum);
    return new GangState(
        session,
        attempt,
        tasks,
        backoffCount,
        next,
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints,
        resizes);
  }

  /**
   * Returns a copy without charges. Once all executors are registered, a loss has a new cause and
   * is charged again.
   */
  GangState withChargesReset() {
    if (charges.isEmpty()) {
      return this;
    }
    TaskTable next = tasks;
    for (Task task : tasks) {
      next = task.losses().isEmpty() ? next : next.with(task.withoutLosses());
    }
    return new GangState(
        session,
        attempt,
        next,
        backoffCount,
        Map.of(),
        excusedRoles,
        outputChars,
        gangFailure,
        checkpoints,
        resizes);
  }

  GangState withExcused(String role) {
    Set<String> nextExcused = new HashSet<>(excusedRoles);
    nextExcused.add(role);
    return new GangState(
        session,
        attempt,
        tasks,
        backoffCount,
        charges,
        nextExcused,
        outputChars,
        gangFailure,
        checkpoints,
        resizes);
  }

  GangState withMoreOutput(int chars) {
    return new GangState(
        session,
        attempt,
        tasks,
        backoffCount,
        charges,
        excusedRoles,
        outputChars + chars,
        gangFailure,
        checkpoints,
        resizes);
  }
}
