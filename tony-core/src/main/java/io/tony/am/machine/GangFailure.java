package io.tony.am.machine;

import io.tony.event.RootCause;
import io.tony.event.TaskFact;
import io.tony.failure.SecondaryFailure;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A failure that made the gang restart or the job end, and what is known about its root cause. The
 * remaining tasks end too, and some of their reports arrive later although they failed earlier. The
 * log records the root cause; what was reported since the last record is lost with the
 * ApplicationMaster.
 *
 * @param latest the failure recorded last; null before the first
 * @param tasks the tasks of the failed gang, RUNNING as long as their end is not reported; null
 *     while no failure is being analysed
 * @param session number of the gang's start that failed
 * @param rootCause the assumed root cause
 * @param symptom text that shows that {@code rootCause} is itself the consequence of another
 *     failure; empty if there is none
 * @param rootCauseEndedAt when the program of {@code rootCause} ended; null if not known
 * @param chargedKind failure kind whose retry budget was charged and may be refunded; null if the
 *     charge is final
 * @param others the other failures of the gang
 * @param recordedCount how often the log has named a root cause
 * @param hasUnrecorded true if reports have arrived since the last record
 * @param pendingFailures failures of the current gang whose cause is not known yet, in the order of
 *     their reports
 */
record GangFailure(
    TaskFact.Failed latest,
    TaskTable tasks,
    int session,
    TaskFact.Failed rootCause,
    String symptom,
    Instant rootCauseEndedAt,
    FailureKind chargedKind,
    RootCause.SecondaryFailures others,
    int recordedCount,
    boolean hasUnrecorded,
    List<TaskFact.Failed> pendingFailures) {
  /**
   * Maximum difference between the clocks of two nodes. A failure counts as earlier only if the
   * difference is larger.
   */
  static final Duration MAX_CLOCK_SKEW = Duration.ofSeconds(1);

  static final GangFailure NONE = none(null);

  GangFailure {
    pendingFailures = List.copyOf(pendingFailures);
  }

  private static GangFailure none(TaskFact.Failed latest) {
    return new GangFailure(
        latest,
        null,
        0,
        null,
        "",
        null,
        null,
        RootCause.SecondaryFailures.NONE,
        0,
        false,
        List.of());
  }

  /** Returns a copy with a newly recorded failure whose consequences are not decided yet. */
  GangFailure withLatest(TaskFact.Failed failure) {
    return with(failure, pendingFailures).withoutPending(failure.task());
  }

  /** Returns a copy with a program's failure that may be the consequence of another task's end. */
  GangFailure withPending(TaskFact.Failed failure) {
    List<TaskFact.Failed> nextPending = new ArrayList<>(pendingFailures);
    nextPending.add(failure);
    return with(latest, nextPending);
  }

  /** Returns a copy without the task's pending failure. */
  GangFailure withoutPending(TaskId task) {
    return with(latest, pendingFailures.stream().filter(one -> !one.task().equals(task)).toList());
  }

  private GangFailure with(TaskFact.Failed nextLatest, List<TaskFact.Failed> nextPending) {
    return new GangFailure(
        nextLatest,
        tasks,
        session,
        rootCause,
        symptom,
        rootCauseEndedAt,
        chargedKind,
        others,
        recordedCount,
        hasUnrecorded,
        nextPending);
  }

  /**
   * Returns a copy in which the latest failure is the root cause of the gang's failure, and the
   * pending failures are its consequences.
   *
   * @param chargedKind failure kind whose retry budget was charged; null if nothing can be refunded
   */
  GangFailure withLatestAsRootCause(TaskTable failed, int ofSession, FailureKind chargedKind) {
    GangFailure opened = ofLatest(failed, ofSession, chargedKind);
    for (TaskFact.Failed one : pendingFailures) {
      opened = opened.withReported(failed.get(one.task())).withOther(one, SecondaryFailure.of(one));
    }
    return opened;
  }

  private GangFailure ofLatest(TaskTable failed, int ofSession, FailureKind chargedKind) {
    return new GangFailure(
        latest,
        failed,
        ofSession,
        latest,
        SecondaryFailure.of(latest),
        null,
        chargedKind,
        RootCause.SecondaryFailures.NONE,
        0,
        false,
        List.of());
  }

  /**
   * Returns a copy without an analysed failure, because what ends from now on ends for another
   * reason.
   */
  GangFailure withoutAnalysis() {
    return none(latest);
  }

  /**
   * Returns the task named by the key if it belongs to the failed gang and its end is not reported
   * yet; null otherwise.
   */
  Task unreportedTask(TaskKey key) {
    Task task = taskInContainer(key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /** Like {@link #unreportedTask}, but for any attempt, because the task's container has ended. */
  Task taskInContainer(TaskKey key) {
    if (tasks == null || !tasks.contains(key.task())) {
      return null;
    }
    Task task = tasks.get(key.task());
    return task.isRunning() && task.container().equals(key.container()) ? task : null;
  }

  /** Returns a copy in which the task's end is reported. */
  GangFailure withReported(Task task) {
    return with(
        tasks.with(task.withState(TaskState.STOPPED)), rootCauseEndedAt, others, hasUnrecorded);
  }

  /** Returns a copy with the time at which the root cause's program ended. */
  GangFailure withRootCauseEnd(Instant instant) {
    return with(tasks, instant, others, hasUnrecorded);
  }

  /** Returns true if the assumed root cause is itself the consequence of another failure. */
  boolean isSecondary() {
    return !symptom.isEmpty();
  }

  /**
   * Returns true if another failure is more likely the root cause.
   *
   * @param otherSymptom text that shows that the other failure is a consequence; empty if there is
   *     none
   * @param otherEndedAt when the other program ended; null if not known
   */
  boolean isSupersededBy(String otherSymptom, Instant otherEndedAt) {
    boolean clearlyEarlier =
        otherEndedAt != null
            && rootCauseEndedAt != null
            && otherEndedAt.plus(MAX_CLOCK_SKEW).isBefore(rootCauseEndedAt);
    return otherSymptom.isEmpty() && (isSecondary() || clearlyEarlier);
  }

  /**
   * Returns a copy in which this failure, which has no symptom of a consequence, is the root cause.
   */
  GangFailure withRootCause(TaskFact.Failed failure, Instant endedAt) {
    return new GangFailure(
        latest,
        tasks,
        session,
        failure,
        "",
        endedAt,
        chargedKind,
        othersAndRootCause(),
        recordedCount,
        true,
        pendingFailures);
  }

  /**
   * Returns the other failures including the previous root cause. The log has already named that
   * task, so the task becomes the named example of the consequences.
   */
  private RootCause.SecondaryFailures othersAndRootCause() {
    return isSecondary()
        ? new RootCause.SecondaryFailures(
            rootCause.task(),
            others.task() == null ? 0 : others.moreCount() + 1,
            symptom,
            others.unexplainedCount())
        : others.withUnexplained();
  }

  /** Returns a copy in which this failure is not the root cause. */
  GangFailure withOther(TaskFact.Failed failure, String otherSymptom) {
    RootCause.SecondaryFailures nextOthers =
        otherSymptom.isEmpty()
            ? others.withUnexplained()
            : others.withExplained(failure.task(), otherSymptom);
    return with(tasks, rootCauseEndedAt, nextOthers, true);
  }

  /** Returns a copy after the log has named the root cause. */
  GangFailure rootCauseRecorded(RootCause fact) {
    boolean refunded = fact.refund().kind() != null;
    return new GangFailure(
        latest,
        tasks,
        session,
        fact.failure(),
        SecondaryFailure.of(fact.failure()),
        fact.failure().equals(rootCause) ? rootCauseEndedAt : null,
        refunded ? null : chargedKind,
        fact.secondaryFailures(),
        recordedCount + 1,
        false,
        pendingFailures);
  }

  private GangFailure with(
      TaskTable nextTasks,
      Instant nextEnded,
      RootCause.SecondaryFailures nextOthers,
      boolean nextHasUnrecorded) {
    return new GangFailure(
        latest,
        nextTasks,
        session,
        rootCause,
        symptom,
        nextEnded,
        chargedKind,
        nextOthers,
        recordedCount,
        nextHasUnrecorded,
        pendingFailures);
  }
}
