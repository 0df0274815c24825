package io.tony.am.machine;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.tony.event.RootCause;
import io.tony.event.TaskFact.Failed;
import io.tony.failure.SecondaryFailure;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A failure for which the gang restarts or the job ends, and what is known about its root cause.
 * The other tasks of the gang end, too, and report later; such a report may show that another task
 * failed first. Whenever the root cause is recorded in the event log, the record includes the
 * reports until then; what is reported after the last record is lost if the ApplicationMaster is
 * lost. Immutable.
 *
 * @param latest the failure recorded last; null before the first
 * @param tasks the tasks of the failed gang, in state RUNNING until their end is reported; null
 *     while no failure is analyzed
 * @param session number of the gang's start that failed
 * @param rootCause the failure that is assumed to be the root cause; null while no failure is
 *     analyzed
 * @param symptom text that shows that {@code rootCause} is itself the consequence of another
 *     failure; empty if none
 * @param rootCauseEndedAt when the program of {@code rootCause} ended; null if not known
 * @param chargedKind failure kind whose retry budget was charged and may get the charge back; null
 *     if the charge is final
 * @param others the gang's other failures
 * @param recordedCount how often the root cause was recorded
 * @param hasUnrecorded true if failures were reported since the last record
 * @param pendingFailures failures of the current gang that wait for their cause, in the order of
 *     their reports; see {@link PendingFailures}
 */
@RecordBuilder
record GangFailure(
    @Nullable Failed latest,
    @Nullable TaskTable tasks,
    int session,
    @Nullable Failed rootCause,
    String symptom,
    @Nullable Instant rootCauseEndedAt,
    @Nullable FailureKind chargedKind,
    RootCause.SecondaryFailures others,
    int recordedCount,
    boolean hasUnrecorded,
    List<Failed> pendingFailures) {
  /**
   * Maximum assumed difference between the clocks of two nodes. Of two failures on different nodes,
   * one counts as earlier only if their times differ by more.
   */
  static final Duration MAX_CLOCK_SKEW = Duration.ofSeconds(1);

  static final GangFailure NONE = none(null);

  GangFailure {
    pendingFailures = List.copyOf(pendingFailures);
  }

  private static GangFailure none(@Nullable Failed latest) {
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

  /**
   * Returns a copy in which {@code latest} is this failure, which was just recorded in the event
   * log; the failure of its task is not pending any more. Whether the gang restarts or the job ends
   * because of the failure is not decided yet.
   */
  GangFailure withLatest(Failed failure) {
    return toBuilder().latest(failure).build().withoutPending(failure.task());
  }

  /**
   * Returns a copy with one more pending failure: the failure of a program that may be the
   * consequence of another task's end.
   */
  GangFailure withPending(Failed failure) {
    List<Failed> nextPending = new ArrayList<>(pendingFailures);
    nextPending.add(failure);
    return toBuilder().pendingFailures(nextPending).build();
  }

  /** Returns a copy without the task's pending failure. */
  GangFailure withoutPending(TaskId task) {
    List<Failed> rest = pendingFailures.stream().filter(one -> !one.task().equals(task)).toList();
    return toBuilder().pendingFailures(rest).build();
  }

  /**
   * Returns a copy in which the analysis begins: {@code latest} is the root cause of the gang's
   * failure, and the pending failures are its consequences.
   *
   * @param failed the tasks of the failed gang
   * @param ofSession number of the gang's start that failed
   * @param chargedKind failure kind whose retry budget was charged and may get the charge back;
   *     null if the charge is final
   */
  GangFailure withLatestAsRootCause(
      TaskTable failed, int ofSession, @Nullable FailureKind chargedKind) {
    GangFailure opened = ofLatest(failed, ofSession, chargedKind);
    for (Failed one : pendingFailures) {
      opened = opened.withReported(failed.get(one.task())).withOther(one, SecondaryFailure.of(one));
    }
    return opened;
  }

  private GangFailure ofLatest(TaskTable failed, int ofSession, @Nullable FailureKind chargedKind) {
    Failed cause = Objects.requireNonNull(latest);
    return new GangFailure(
        cause,
        failed,
        ofSession,
        cause,
        SecondaryFailure.of(cause),
        null,
        chargedKind,
        RootCause.SecondaryFailures.NONE,
        0,
        false,
        List.of());
  }

  /**
   * Returns a copy in which no failure is analyzed, for a gang that restarts or ends for another
   * reason than a failure.
   */
  GangFailure withoutAnalysis() {
    return none(latest);
  }

  /**
   * Returns the task of the failed gang that has the id, attempt and container of {@code key}, if
   * its end is not reported yet; null otherwise.
   */
  @Nullable Task unreportedTask(TaskKey key) {
    Task task = taskInContainer(key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /**
   * Like {@link #unreportedTask}, but ignores the attempt number. For reports about a container,
   * which is used for several attempts.
   */
  @Nullable Task taskInContainer(TaskKey key) {
    if (tasks == null || !tasks.contains(key.task())) {
      return null;
    }
    Task task = tasks.get(key.task());
    return task.isRunning() && task.container().equals(key.container()) ? task : null;
  }

  /** Returns a copy that notes that the end of this task of the failed gang is reported. */
  GangFailure withReported(Task task) {
    TaskTable next = Objects.requireNonNull(tasks).with(task.withState(TaskState.STOPPED));
    return toBuilder().tasks(next).build();
  }

  /** Returns a copy with the time at which the program of {@code rootCause} ended. */
  GangFailure withRootCauseEnd(@Nullable Instant instant) {
    return toBuilder().rootCauseEndedAt(instant).build();
  }

  /**
   * Returns true if the failure that counts as the root cause so far looks like the consequence of
   * another failure, which may not be reported yet.
   */
  boolean isSecondary() {
    return !symptom.isEmpty();
  }

  /**
   * Returns true if another failure is more likely the root cause than {@code rootCause}: the other
   * one has no symptom of being a consequence, and {@code rootCause} has one or happened clearly
   * later.
   *
   * @param otherSymptom text that shows that the other failure is a consequence, too; empty if none
   * @param otherEndedAt when the program of the other failure ended; null if not known
   */
  boolean isSupersededBy(String otherSymptom, @Nullable Instant otherEndedAt) {
    boolean clearlyEarlier =
        otherEndedAt != null
            && rootCauseEndedAt != null
            && otherEndedAt.plus(MAX_CLOCK_SKEW).isBefore(rootCauseEndedAt);
    return otherSymptom.isEmpty() && (isSecondary() || clearlyEarlier);
  }

  /**
   * Returns a copy with this failure as the root cause. The failure must have no symptom of being a
   * consequence.
   *
   * @param endedAt when the program of the failure ended; null if not known
   */
  GangFailure withRootCause(Failed failure, @Nullable Instant endedAt) {
    return toBuilder()
        .rootCause(failure)
        .symptom("")
        .rootCauseEndedAt(endedAt)
        .others(othersAndRootCause())
        .hasUnrecorded(true)
        .build();
  }

  /**
   * Returns {@code others} plus the present root cause, which another failure is about to replace.
   * If the present root cause has a symptom of being a consequence, the next {@link RootCause}
   * record names its task as the example of the gang's other failures, because an earlier event has
   * named that task as the cause.
   */
  private RootCause.SecondaryFailures othersAndRootCause() {
    return isSecondary()
        ? new RootCause.SecondaryFailures(
            Objects.requireNonNull(rootCause).task(),
            others.task() == null ? 0 : others.moreCount() + 1,
            symptom,
            others.unexplainedCount())
        : others.withUnexplained();
  }

  /**
   * Returns a copy in which this failure is one of the others, not the root cause.
   *
   * @param otherSymptom text that shows that the failure is a consequence; empty if none
   */
  GangFailure withOther(Failed failure, String otherSymptom) {
    RootCause.SecondaryFailures nextOthers =
        otherSymptom.isEmpty()
            ? others.withUnexplained()
            : others.withExplained(failure.task(), otherSymptom);
    return toBuilder().others(nextOthers).hasUnrecorded(true).build();
  }

  /**
   * Returns a copy with the root cause and the secondary failures of {@code fact}. If {@code fact}
   * gives the charge back, {@code chargedKind} is null in the copy.
   */
  GangFailure rootCauseRecorded(RootCause fact) {
    boolean refunded = fact.refund().kind() != null;
    return toBuilder()
        .rootCause(fact.failure())
        .symptom(SecondaryFailure.of(fact.failure()))
        .rootCauseEndedAt(fact.failure().equals(rootCause) ? rootCauseEndedAt : null)
        .chargedKind(refunded ? null : chargedKind)
        .others(fact.secondaryFailures())
        .recordedCount(recordedCount + 1)
        .hasUnrecorded(false)
        .build();
  }

  private GangFailureBuilder toBuilder() {
    return GangFailureBuilder.toBuilder(this);
  }
}
