package io.tony.am.machine;

import io.tony.fact.SizeFact;
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
 * @param backOffs how often it gave its containers back to ask again
 * @param charges how often the job has paid for losses since every executor was there last, by kind
 * @param excused roles that the job goes on without
 * @param outputs how many characters its tasks have left as outputs
 * @param incident the last failure that took the gang down
 * @param kept its checkpoints
 * @param resizes the changes of its size
 */
record GangState(
    int session,
    int attempt,
    TaskTable tasks,
    int backOffs,
    Map<FailureKind, Integer> charges,
    Set<String> excused,
    int outputs,
    Incident incident,
    KeptSets kept,
    Resizes resizes) {
  GangState {
    charges = Map.copyOf(charges);
    excused = Set.copyOf(excused);
  }

  GangState with(TaskTable next) {
    return new GangState(
        session, attempt, next, backOffs, charges, excused, outputs, incident, kept, resizes);
  }

  GangState with(Incident next) {
    return new GangState(
        session, attempt, tasks, backOffs, charges, excused, outputs, next, kept, resizes);
  }

  GangState with(KeptSets next) {
    return new GangState(
        session, attempt, tasks, backOffs, charges, excused, outputs, incident, next, resizes);
  }

  GangState growing(Instant at) {
    return new GangState(
        session,
        attempt,
        tasks,
        backOffs,
        charges,
        excused,
        outputs,
        incident,
        kept,
        resizes.growing(at));
  }

  /** With another number of tasks, of which some may be of a new attempt. */
  GangState resized(SizeFact.Resized fact, TaskTable next) {
    return new GangState(
        session,
        Math.max(attempt, fact.attempt()),
        next,
        backOffs,
        charges,
        excused,
        outputs,
        incident,
        kept.inAnotherTable(),
        fact.shrinks() ? resizes.shrinking() : resizes);
  }

  /** The same session with a task of the next attempt in it. */
  GangState nextAttempt(Task task) {
    return new GangState(
        session,
        task.attempt(),
        tasks.with(task),
        backOffs,
        charges,
        excused,
        outputs,
        incident,
        kept,
        resizes);
  }

  GangState nextSession(int nextAttempt, TaskTable next) {
    return new GangState(
        session + 1,
        nextAttempt,
        next,
        backOffs,
        charges,
        Set.of(),
        outputs,
        incident,
        kept.startedAgain(),
        resizes.startedAgain());
  }

  GangState backedOff(TaskTable next) {
    return new GangState(
        session, attempt, next, backOffs + 1, charges, excused, outputs, incident, kept, resizes);
  }

  /**
   * Whether one more loss of the task is paid for. What takes a node away, or a burst of
   * preemptions, takes many tasks together: the job pays once for each time that the most-often
   * lost of them was lost.
   */
  boolean hasPaidFor(Task task, FailureKind kind) {
    return task.losses().getOrDefault(kind, 0) < charges.getOrDefault(kind, 0);
  }

  GangState charged(FailureKind kind) {
    Map<FailureKind, Integer> next = new EnumMap<>(FailureKind.class);
    next.putAll(charges);
    next.merge(kind, 1, Integer::sum);
    return new GangState(
        session, attempt, tasks, backOffs, next, excused, outputs, incident, kept, resizes);
  }

  /** Every executor is there: what is lost from now on has another cause. */
  GangState whole() {
    if (charges.isEmpty()) {
      return this;
    }
    TaskTable next = tasks;
    for (Task task : tasks) {
      next = task.losses().isEmpty() ? next : next.with(task.withoutLosses());
    }
    return new GangState(
        session, attempt, next, backOffs, Map.of(), excused, outputs, incident, kept, resizes);
  }

  GangState excusing(String role) {
    Set<String> more = new HashSet<>(excused);
    more.add(role);
    return new GangState(
        session, attempt, tasks, backOffs, charges, more, outputs, incident, kept, resizes);
  }

  GangState leaving(int characters) {
    return new GangState(
        session,
        attempt,
        tasks,
        backOffs,
        charges,
        excused,
        outputs + characters,
        incident,
        kept,
        resizes);
  }
}
