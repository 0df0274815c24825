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
 * A failure by which the gang was started again or the job ends, and what is known of its cause.
 * The tasks that run then end, too, and some of their reports come later, though they failed
 * earlier. The facts say what the first cause is; what is heard between two of them is as good as
 * lost with its ApplicationMaster.
 *
 * @param latest the failure that was noted last; null before the first
 * @param tasks of the gang that failed, RUNNING as long as nothing was heard of how they ended;
 *     null while there is no incident
 * @param session which start of the gang that was
 * @param rootCause what is taken for the first cause
 * @param symptom by which it is itself what another failure led to; empty where it does not say so
 * @param rootCauseEndedAt when that was; null when it is not known
 * @param chargedKind whose budget has paid, where another may have to; null where that is settled
 * @param others what else has failed
 * @param recordedCount how often the log has named a cause
 * @param hasUnrecorded whether it lacks what was heard since
 * @param pendingFailures failures of the present gang that wait for their cause, in the order of
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
  /** Clocks of nodes differ; a failure must be earlier by more than that to have come first. */
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

  /** A task has failed; what follows from that is not decided yet. */
  GangFailure withLatest(TaskFact.Failed failure) {
    return with(failure, pendingFailures).withoutPending(failure.task());
  }

  /** A program has failed; whether another task's end was why is not known yet. */
  GangFailure withPending(TaskFact.Failed failure) {
    List<TaskFact.Failed> nextPending = new ArrayList<>(pendingFailures);
    nextPending.add(failure);
    return with(latest, nextPending);
  }

  /** The task's failure is pending no longer. */
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
   * The latest failure has taken this gang down, and is why those that are pending have failed.
   * {@code charged} is null where none can change.
   */
  GangFailure opened(TaskTable failed, int ofSession, FailureKind chargedKind) {
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

  /** What ends now has another reason. */
  GangFailure closed() {
    return none(latest);
  }

  /** The task that the key names, where it belongs to the gang and its end was not heard of. */
  Task unreportedTask(TaskKey key) {
    Task task = taskInContainer(key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /** The same, whichever attempt the key names: its container has ended. */
  Task taskInContainer(TaskKey key) {
    if (tasks == null || !tasks.contains(key.task())) {
      return null;
    }
    Task task = tasks.get(key.task());
    return task.started() && task.container().equals(key.container()) ? task : null;
  }

  /** The task is awaited no longer. */
  GangFailure withReported(Task task) {
    return with(
        tasks.with(task.withState(TaskState.STOPPED)), rootCauseEndedAt, others, hasUnrecorded);
  }

  /** The first failure ended at this instant. */
  GangFailure withRootCauseEnd(Instant instant) {
    return with(tasks, instant, others, hasUnrecorded);
  }

  /** Whether what is taken for the first cause is itself what another failure led to. */
  boolean isSecondary() {
    return !symptom.isEmpty();
  }

  /**
   * Whether another failure is rather the first cause.
   *
   * @param otherSymptom words by which it follows from another; empty where it does not
   * @param otherEndedAt when it was; null when that is not known
   */
  boolean isSupersededBy(String otherSymptom, Instant otherEndedAt) {
    boolean clearlyEarlier =
        otherEndedAt != null
            && rootCauseEndedAt != null
            && otherEndedAt.plus(MAX_CLOCK_SKEW).isBefore(rootCauseEndedAt);
    return otherSymptom.isEmpty() && (isSecondary() || clearlyEarlier);
  }

  /** This failure, which does not follow from another, came first. */
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

  /** The log has told of the one that was taken for the first: it is the one to be named. */
  private RootCause.SecondaryFailures othersAndRootCause() {
    return isSecondary()
        ? new RootCause.SecondaryFailures(
            rootCause.task(),
            others.task() == null ? 0 : others.moreCount() + 1,
            symptom,
            others.unexplainedCount())
        : others.withUnexplained();
  }

  /** This failure did not come first. */
  GangFailure withOther(TaskFact.Failed failure, String otherSymptom) {
    RootCause.SecondaryFailures nextOthers =
        otherSymptom.isEmpty()
            ? others.withUnexplained()
            : others.withExplained(failure.task(), otherSymptom);
    return with(tasks, rootCauseEndedAt, nextOthers, true);
  }

  /** The log names it now. */
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
