package io.tony.am.machine;

import io.tony.event.ResizeFact;
import io.tony.model.FailureKind;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tasks since the gang's last start, and the gang's history.
 *
 * @param session number of the gang's restarts
 * @param attempt highest attempt number that any task was started with
 * @param backoffCount how often the gang gave its containers back to request them again
 * @param charges charges for losses, by kind, since all executors were registered last
 * @param excusedRoles roles that the job goes on without
 * @param outputChars number of characters that the tasks have produced as outputs
 * @param gangFailure the last failure that took the gang down
 * @param checkpoints the checkpoints of its tasks
 * @param resizes its changes of size
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

  /** Returns a copy with another number of tasks, some of which may have a new attempt number. */
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

  /** Returns a copy of the same session with a task in its next attempt. */
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
   * Returns true if one more loss of the task is already paid for. The failure of a node or a burst
   * of preemptions takes many tasks together, so the job is charged only as often as the task with
   * the most losses was lost.
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
   * Returns a copy without charges: all executors are registered, so later losses have a new cause.
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
