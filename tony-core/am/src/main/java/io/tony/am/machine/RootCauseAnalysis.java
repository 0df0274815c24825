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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the root cause of a gang's failure. One failure makes other tasks fail, and the reports
 * arrive in any order. The decision on the first report, to restart the gang or to end the job, is
 * kept. If a lost container turns out to be the root cause, the retry that the first report cost is
 * given back and the budget for losses is charged instead.
 */
final class RootCauseAnalysis {
  /**
   * How often the root cause of one gang failure may be written to the event log while reports
   * still arrive, because each report can change it. Beyond this limit, it is written only if a
   * lost container becomes the root cause, and once more when the analysis ends.
   */
  private static final int MAX_IMMEDIATE_RECORDS = 2;

  private RootCauseAnalysis() {}

  /**
   * Notes when the program of the assumed root cause ended, so that later reports can be compared
   * with this time. Ignores the end of any other program, and any end after a root cause was
   * recorded.
   */
  static void noteRootCauseEnd(DecisionBuilder decision, TaskKey key, @Nullable Instant endedAt) {
    GangFailure gangFailure = decision.state().gang().gangFailure();
    if (gangFailure.tasks() != null
        && gangFailure.rootCause() != null
        && gangFailure.recordedCount() == 0
        && gangFailure.rootCause().task().equals(key.task())
        && gangFailure.tasks().get(key.task()).key().equals(key)) {
      decision.noteFailure(gangFailure.withRootCauseEnd(endedAt));
    }
  }

  /**
   * Notes the end of a program of the failed gang. If the program had failed before it was ordered
   * to end, its failure may be the root cause.
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
      DecisionBuilder decision,
      GangFailure gangFailure,
      TaskFact.Failed failure,
      @Nullable Instant endedAt) {
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
   * Records the failure of a task whose container or executor was lost, and decides what follows.
   */
  static void handleContainerLoss(DecisionBuilder decision, Task task, TaskFailure failure) {
    decision.record(failure.toFact(decision.state(), task));
    noteContainerLoss(decision, task.key(), failure, false);
    TaskCompletion.handleFailure(decision, task, failure, false);
  }

  /**
   * Records the failure of a task whose container was lost during a change of ApplicationMasters.
   * What follows is decided later, when all these losses are recorded. The loss may be the root
   * cause of an earlier failure; but not if YARN took the container together with the
   * ApplicationMaster, because that happened after the failure.
   */
  static void recordLossBeforeTakeover(DecisionBuilder decision, Task task, TaskFailure failure) {
    decision.record(failure.toFact(decision.state(), task));
    if (!failure.isMasterLoss()) {
      noteContainerLoss(decision, task.key(), failure, true);
    }
  }

  /**
   * Notes the loss of a container while the job stops. If the task had not reported the end of its
   * program, the container was lost rather than stopped, and the loss may be the root cause of the
   * job's failure.
   */
  static void noteContainerLoss(DecisionBuilder decision, Event.ContainerEnded event) {
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      // Pass the task's present key, because the event's key may name an earlier attempt.
      noteContainerLoss(decision, task.key(), TaskFailure.of(task, event), false);
    }
  }

  /**
   * Makes the loss of a container the root cause of the gang's failure. Does nothing if the
   * container was still alive when the gang failed, or if the present root cause has no symptom of
   * being a consequence. Otherwise the other programs failed because of the loss, and the budget
   * for failures of the user's program must not pay for them.
   *
   * @param free true if no budget has to pay for the loss
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
   * Returns true if the task's container was alive when the gang failed: since the gang's restart,
   * the task's executor has registered again, or the task has got a new executor.
   */
  private static boolean hasOutlivedFailure(JobState state, Task task) {
    Task now = state.tasks().get(task.id());
    boolean restarted = state.session() > state.gang().gangFailure().session();
    return restarted && (!now.inSameContainer() || now.alone());
  }

  /**
   * Returns the retry that is given back because the loss is the root cause; {@link
   * RootCause.Refund#NONE} if the charge is final, or if no budget can pay for the loss in its
   * place.
   *
   * @param free true if no budget has to pay for the loss
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
   * Records the root cause of the gang's failure if reports have arrived since the last record, and
   * if the root cause has no symptom of being a consequence. Called when no more reports about the
   * failed gang matter.
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
            Objects.requireNonNull(gangFailure.rootCause()),
            gangFailure.session(),
            gangFailure.others(),
            refund));
  }

  // ---- State changes when a fact is recorded ----

  /**
   * Returns the state after a restart of the gang. Later reports about the failed gang may change
   * the root cause.
   *
   * @param before the state before the restart
   * @param next the state after the restart
   */
  static JobState restarted(JobState before, JobState next, GangFact.Restarted fact) {
    // Only the charge for a failed program can be given back: its failure may be the consequence of
    // another one, a lost container is not.
    boolean mayBeSecondary =
        fact.chargedTo() == RetryBudgetOwner.JOB && fact.kind() == FailureKind.PROGRAM;
    return next.with(
        next.gang().with(openFailure(before, fact.task(), mayBeSecondary ? fact.kind() : null)));
  }

  /**
   * Returns the state after the decision to stop the job with this result. If the job stops because
   * a task failed, that failure is the root cause until a later report shows another one.
   */
  static JobState stopping(JobState before, JobResult result) {
    JobState next = before.stopping(result);
    return next.with(next.gang().with(openFailure(before, result.task(), null)));
  }

  private static GangFailure openFailure(
      JobState before, @Nullable TaskId failed, @Nullable FailureKind chargedKind) {
    GangFailure gangFailure = before.gang().gangFailure();
    boolean noted =
        failed != null
            && gangFailure.latest() != null
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
    // If the job is already stopping, replace its result by one that names the new root cause. Keep
    // a futile result: it tells the user that another run would fail in the same way.
    return next.phase() == Phase.STOPPING && !Objects.requireNonNull(next.result()).futile()
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
