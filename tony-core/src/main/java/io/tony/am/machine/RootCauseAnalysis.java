package io.tony.am.machine;

import io.tony.event.GangFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.RootCause;
import io.tony.event.TaskFact;
import io.tony.failure.SecondaryFailure;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Instant;

/**
 * Finds the root cause of a gang's failure. Failures cascade, and reports arrive in random order.
 * The decision made on the first report is kept; only the retry it consumed is re-charged to the
 * root cause's budget.
 */
final class RootCauseAnalysis {
  /**
   * Maximum number of root causes recorded at once, however many tasks fail; one more is recorded
   * at the end of the analysis.
   */
  private static final int MAX_IMMEDIATE_RECORDS = 2;

  private RootCauseAnalysis() {}

  /** Notes when the program ended whose failure made the gang restart or the job end. */
  static void noteRootCauseEnd(DecisionBuilder decision, TaskKey key, Instant endedAt) {
    GangFailure gangFailure = decision.state().gang().gangFailure();
    if (gangFailure.tasks() != null
        && gangFailure.recordedCount() == 0
        && gangFailure.rootCause().task().equals(key.task())
        && gangFailure.tasks().get(key.task()).key().equals(key)) {
      decision.noteFailure(gangFailure.withRootCauseEnd(endedAt));
    }
  }

  /**
   * Notes the end of a program of the failed gang. The program may have failed before it was
   * ordered to end.
   */
  static void noteExit(DecisionBuilder decision, TaskKey key, Event.Exit exit) {
    GangFailure gangFailure = decision.state().gang().gangFailure();
    Task task = gangFailure.unreportedTask(key);
    if (task == null || !decision.state().isNeededByOthers(task)) {
      return;
    }
    GangFailure next = gangFailure.withReported(task);
    decision.noteFailure(next);
    boolean succeeded = exit.code() == 0 && exit.executorMessage().isEmpty();
    if (exit.byItself() && !succeeded) {
      noteFailure(
          decision,
          next,
          TaskFailure.of(task, exit).toFact(decision.state(), task),
          exit.endedAt());
    }
  }

  private static void noteFailure(
      DecisionBuilder decision, GangFailure gangFailure, TaskFact.Failed failure, Instant endedAt) {
    String symptom = SecondaryFailure.of(failure);
    if (!gangFailure.isSupersededBy(symptom, endedAt)) {
      decision.noteFailure(gangFailure.withOther(failure, symptom));
      return;
    }
    decision.noteFailure(gangFailure.withRootCause(failure, endedAt));
    if (gangFailure.recordedCount() < MAX_IMMEDIATE_RECORDS) {
      recordRootCause(decision, RootCause.Refund.NONE);
    }
  }

  /**
   * Records the loss of a container or of its executor's heartbeats, and the failure of its task.
   */
  static void handleContainerLoss(DecisionBuilder decision, Task task, TaskFailure failure) {
    decision.record(failure.toFact(decision.state(), task));
    noteContainerLoss(decision, task.key(), failure, false);
    TaskCompletion.handleFailure(decision, task, failure, false);
  }

  /**
   * Like {@link #handleContainerLoss}, for a loss during the change of ApplicationMasters; the
   * consequences are decided later. A task that had not restarted is replaced free of charge. A
   * container that YARN took with the ApplicationMaster was lost after the failures and is not
   * their cause.
   */
  static void recordLossBeforeTakeover(DecisionBuilder decision, Task task, TaskFailure failure) {
    decision.record(failure.toFact(decision.state(), task));
    if (!failure.isMasterLoss()) {
      noteContainerLoss(decision, task.key(), failure, true);
    }
  }

  /**
   * Like {@link #handleContainerLoss}, while the job stops. A container of a task that has not
   * reported its end was lost, not stopped.
   */
  static void noteContainerLoss(DecisionBuilder decision, Event.ContainerEnded event) {
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      noteContainerLoss(
          // The key of the event may name an older attempt.
          decision, task.key(), TaskFailure.of(task, event), false);
    }
  }

  /**
   * Makes the loss the root cause if the container was lost before the gang restarted: the other
   * programs failed because of the loss, and the user must not be charged for them.
   *
   * @param free true if the loss itself is free of charge
   */
  private static void noteContainerLoss(
      DecisionBuilder decision, TaskKey key, TaskFailure failure, boolean free) {
    GangFailure gangFailure = decision.state().gang().gangFailure();
    Task task = gangFailure.taskInContainer(key);
    if (task == null
        || !decision.state().isNeededByOthers(task)
        || hasOutlivedFailure(decision.state(), task)) {
      return;
    }
    TaskFact.Failed fact = failure.toFact(decision.state(), task);
    decision.noteFailure(gangFailure.withReported(task));
    if (gangFailure.isSupersededBy("", null)) {
      decision.noteFailure(gangFailure.withReported(task).withRootCause(fact, null));
      recordRootCause(decision, refund(decision.state(), task, failure, free));
    }
  }

  /**
   * Returns true if the task's executor has registered since the restart or is a new one. Then the
   * container was still alive when the others failed.
   */
  private static boolean hasOutlivedFailure(JobState state, Task task) {
    Task now = state.tasks().get(task.id());
    boolean restarted = state.session() > state.gang().gangFailure().session();
    return restarted && (!now.inSameContainer() || now.alone());
  }

  /**
   * Returns the refund of the earlier charge, if the root cause is free of charge or its own budget
   * can pay for it.
   */
  private static RootCause.Refund refund(
      JobState state, Task task, TaskFailure failure, boolean free) {
    FailureKind charged = state.gang().gangFailure().chargedKind();
    if (charged == null) {
      return RootCause.Refund.NONE;
    }
    int remaining = state.budget().remaining(charged) + 1;
    JobState refunded = state.with(state.budget().withRemaining(charged, remaining));
    boolean coveredOtherwise =
        free
            || RestartPolicy.chargedTo(refunded, state.tasks().get(task.id()), failure).isPresent();
    return coveredOtherwise ? new RootCause.Refund(charged, remaining) : RootCause.Refund.NONE;
  }

  /**
   * Records the root cause if it is not recorded yet. Called when no more reports of the failed
   * gang arrive or matter.
   */
  static void conclude(DecisionBuilder decision) {
    GangFailure gangFailure = decision.state().gang().gangFailure();
    if (gangFailure.hasUnrecorded() && !gangFailure.isSecondary()) {
      recordRootCause(decision, RootCause.Refund.NONE);
    }
  }

  private static void recordRootCause(DecisionBuilder decision, RootCause.Refund refund) {
    GangFailure gangFailure = decision.state().gang().gangFailure();
    decision.record(
        new RootCause(
            gangFailure.rootCause(), gangFailure.session(), gangFailure.others(), refund));
  }

  // ---- Effects of the facts on the state ----

  /**
   * Returns the state after a restart of the gang. Later reports of the failed gang may change the
   * root cause.
   */
  static JobState restarted(JobState before, JobState next, GangFact.Restarted fact) {
    // A lost container is always a root cause; a program may fail because of another task.
    boolean mayBeSecondary =
        fact.chargedTo() == RetryBudgetOwner.JOB && fact.kind() == FailureKind.PROGRAM;
    return next.with(
        next.gang().with(openFailure(before, fact.task(), mayBeSecondary ? fact.kind() : null)));
  }

  /**
   * Returns the state of a job that stops. If a task's failure is the reason, later reports may
   * change the root cause.
   */
  static JobState stopping(JobState before, JobResult result) {
    JobState next = before.stopping(result);
    return next.with(next.gang().with(openFailure(before, result.task(), null)));
  }

  private static GangFailure openFailure(JobState before, TaskId failed, FailureKind chargedKind) {
    GangFailure gangFailure = before.gang().gangFailure();
    boolean noted =
        gangFailure.latest() != null
            && gangFailure.latest().task().equals(failed)
            && before.tasks().contains(failed)
            && before.tasks().get(failed).state() == TaskState.FAILED;
    return noted
        ? gangFailure.withLatestAsRootCause(before.tasks(), before.session(), chargedKind)
        : gangFailure.withoutAnalysis();
  }

  static JobState rootCauseRecorded(JobState state, RootCause fact) {
    RootCause.Refund refund = fact.refund();
    JobState refunded =
        refund.kind() == null
            ? state
            : state.with(state.budget().withRemaining(refund.kind(), refund.remaining()));
    JobState next =
        refunded.with(refunded.gang().with(refunded.gang().gangFailure().rootCauseRecorded(fact)));
    TaskFact.Failed failure = fact.failure();
    // A futile retry is why the job ended; the result keeps that message.
    return next.phase() == Phase.STOPPING && !next.result().futile()
        ? next.stopping(
            new JobResult(
                JobResult.Status.FAILED,
                failure.kind(),
                failure.message(),
                failure.task(),
                failure.exitCode()))
        : next;
  }
}
