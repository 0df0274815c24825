package io.tony.am.machine;

import io.tony.event.ResizeFact;
import io.tony.model.FailureKind;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The tasks, since the gang was last started, and what the gang has gone through.
 *
 * @param session how often it was started again
 * @param attempt the highest number that a task was started with
 * @param backoffCount how often it gave its containers back to ask again
 * @param charges how often the job has paid for losses since every executor was there last, by kind
 * @param excusedRoles roles that the job goes on without
 * @param outputChars how many characters its tasks have left as outputs
 * @param gangFailure the last failure that took the gang down
 * @param checkpoints its checkpoints
 * @param resizes the changes of its size
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

  /** With another number of tasks, of which some may be of a new attempt. */
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

  /** The same session with a task of the next attempt in it. */
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
   * Whether one more loss of the task is paid for. What takes a node away, or a burst of
   * preemptions, takes many tasks together: the job pays once for each time that the most-often
   * lost of them was lost.
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

  /** Every executor is there: what is lost from now on has another cause. */
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
