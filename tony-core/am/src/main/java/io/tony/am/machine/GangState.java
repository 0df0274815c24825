package io.tony.am.machine;

import io.soabase.recordbuilder.core.RecordBuilder;
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
@RecordBuilder
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
    return toBuilder().tasks(next).build();
  }

  GangState with(GangFailure next) {
    return toBuilder().gangFailure(next).build();
  }

  GangState with(CheckpointState next) {
    return toBuilder().checkpoints(next).build();
  }

  GangState withGrowth(Instant at) {
    return toBuilder().resizes(resizes.withGrowth(at)).build();
  }

  /**
   * Returns a copy after a change of the gang's size. Tasks that moved have a new attempt number.
   *
   * @param next all tasks after the change
   */
  GangState resized(ResizeFact.Resized fact, TaskTable next) {
    return toBuilder()
        .attempt(Math.max(attempt, fact.attempt()))
        .tasks(next)
        .checkpoints(checkpoints.afterResize())
        .resizes(fact.shrinks() ? resizes.withShrink() : resizes)
        .build();
  }

  /**
   * Returns a copy after the restart of a single task; the number of the gang's start is unchanged.
   *
   * @param task the task in its next attempt
   */
  GangState nextAttempt(Task task) {
    return toBuilder().attempt(task.attempt()).tasks(tasks.with(task)).build();
  }

  GangState nextSession(int nextAttempt, TaskTable next) {
    return toBuilder()
        .session(session + 1)
        .attempt(nextAttempt)
        .tasks(next)
        .excusedRoles(Set.of())
        .checkpoints(checkpoints.afterRestart())
        .resizes(resizes.afterRestart())
        .build();
  }

  GangState backedOff(TaskTable next) {
    return toBuilder().tasks(next).backoffCount(backoffCount + 1).build();
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
    return toBuilder().charges(next).build();
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
    return toBuilder().tasks(next).charges(Map.of()).build();
  }

  GangState withExcused(String role) {
    Set<String> nextExcused = new HashSet<>(excusedRoles);
    nextExcused.add(role);
    return toBuilder().excusedRoles(nextExcused).build();
  }

  GangState withMoreOutput(int chars) {
    return toBuilder().outputChars(outputChars + chars).build();
  }

  private GangStateBuilder toBuilder() {
    return GangStateBuilder.toBuilder(this);
  }
}
