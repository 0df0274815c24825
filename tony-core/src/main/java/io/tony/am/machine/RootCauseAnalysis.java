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
 * Names what failed first, from reports that come after it was decided what becomes of the job. One
 * failure takes the other programs down, and whose report is the first is chance. What was decided
 * stands; only its charge goes to the budget of the cause.
 */
final class RootCauseAnalysis {
  /** However many tasks fail, so many facts name the cause at once, and one more in the end. */
  private static final int MAX_IMMEDIATE_RECORDS = 2;

  private RootCauseAnalysis() {}

  /** A program has failed, and the gang or the job with it: this is when it had ended. */
  static void noteEnd(DecisionBuilder draft, TaskKey key, Instant endedAt) {
    GangFailure gangFailure = draft.state().gang().gangFailure();
    if (gangFailure.tasks() != null
        && gangFailure.recordedCount() == 0
        && gangFailure.rootCause().task().equals(key.task())
        && gangFailure.tasks().get(key.task()).key().equals(key)) {
      draft.noteFailure(gangFailure.withRootCauseEnd(endedAt));
    }
  }

  /** A program of the gang as it was has ended, perhaps before anybody wanted it to. */
  static void noteExit(DecisionBuilder draft, TaskKey key, Event.Exit exit) {
    GangFailure gangFailure = draft.state().gang().gangFailure();
    Task task = gangFailure.unreportedTask(key);
    if (task == null || !draft.state().isNeededByOthers(task)) {
      return;
    }
    GangFailure next = gangFailure.withReported(task);
    draft.noteFailure(next);
    boolean succeeded = exit.code() == 0 && exit.executorMessage().isEmpty();
    if (exit.byItself() && !succeeded) {
      noteFailure(
          draft, next, TaskFailure.of(task, exit).toFact(draft.state(), task), exit.endedAt());
    }
  }

  private static void noteFailure(
      DecisionBuilder draft, GangFailure gangFailure, TaskFact.Failed failure, Instant endedAt) {
    String symptom = SecondaryFailure.of(failure);
    if (!gangFailure.isSupersededBy(symptom, endedAt)) {
      draft.noteFailure(gangFailure.withOther(failure, symptom));
      return;
    }
    draft.noteFailure(gangFailure.withRootCause(failure, endedAt));
    if (gangFailure.recordedCount() < MAX_IMMEDIATE_RECORDS) {
      recordRootCause(draft, RootCause.Refund.NONE);
    }
  }

  /** A container is gone, or nobody hears of its executor, and the task fails with it. */
  static void noteContainerLoss(DecisionBuilder draft, Task task, TaskFailure failure) {
    draft.record(failure.toFact(draft.state(), task));
    noteContainerLoss(draft, task.key(), failure, false);
    TaskCompletion.afterFailure(draft, task, failure, false);
  }

  /**
   * The same between two ApplicationMasters: what follows is decided later. Nobody pays for what
   * had not started again, and what YARN took with the first of them came after the failures.
   */
  static void noteLossBeforeTakeover(DecisionBuilder draft, Task task, TaskFailure failure) {
    draft.record(failure.toFact(draft.state(), task));
    if (!failure.isMasterLoss()) {
      noteContainerLoss(draft, task.key(), failure, true);
    }
  }

  /** The same while the job stops: unless the task has told that it ended, it was not told to. */
  static void noteContainerLoss(DecisionBuilder draft, Event.ContainerEnded event) {
    Task task = JobMachine.taskInContainer(draft.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      noteContainerLoss(
          draft, task.key(), TaskFailure.of(task, event), false); // the event's may be older
    }
  }

  /**
   * Where that was so before the gang was started again, the programs of the others have failed
   * because of it, and their user is not to pay for that. {@code free} is whether nobody pays for
   * the loss.
   */
  private static void noteContainerLoss(
      DecisionBuilder draft, TaskKey key, TaskFailure failure, boolean free) {
    GangFailure gangFailure = draft.state().gang().gangFailure();
    Task task = gangFailure.taskInContainer(key);
    if (task == null
        || !draft.state().isNeededByOthers(task)
        || hasOutlivedFailure(draft.state(), task)) {
      return;
    }
    TaskFact.Failed fact = failure.toFact(draft.state(), task);
    draft.noteFailure(gangFailure.withReported(task));
    if (gangFailure.isSupersededBy("", null)) {
      draft.noteFailure(gangFailure.withReported(task).withRootCause(fact, null));
      recordRootCause(draft, refund(draft.state(), task, failure, free));
    }
  }

  /** Its executor has registered since, or is another: it was there when the others failed. */
  private static boolean hasOutlivedFailure(JobState state, Task task) {
    Task now = state.tasks().get(task.id());
    boolean restarted = state.session() > state.gang().gangFailure().session();
    return restarted && (!now.inSameContainer() || now.alone());
  }

  /** Where the first cause is paid for instead, or nobody needs to pay for it. */
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

  /** No report of the failed gang comes any more, or it is of no use: what is not told, is now. */
  static void conclude(DecisionBuilder draft) {
    GangFailure gangFailure = draft.state().gang().gangFailure();
    if (gangFailure.hasUnrecorded() && !gangFailure.isSecondary()) {
      recordRootCause(draft, RootCause.Refund.NONE);
    }
  }

  private static void recordRootCause(DecisionBuilder draft, RootCause.Refund refund) {
    GangFailure gangFailure = draft.state().gang().gangFailure();
    draft.record(
        new RootCause(
            gangFailure.rootCause(), gangFailure.session(), gangFailure.others(), refund));
  }

  // ---- What the facts make of a state ----

  /** The gang starts again; what is heard of it as it was may name another cause. */
  static JobState restarted(JobState before, JobState next, GangFact.Restarted fact) {
    // Nothing comes before a lost container; a program may fail because of another.
    boolean mayBeSecondary =
        fact.chargedTo() == RetryBudgetOwner.JOB && fact.kind() == FailureKind.PROGRAM;
    return next.with(
        next.gang().with(openFailure(before, fact.task(), mayBeSecondary ? fact.kind() : null)));
  }

  /** The job ends; so does what is heard of it, if a task's failure is why. */
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
        ? gangFailure.opened(before.tasks(), before.session(), chargedKind)
        : gangFailure.closed();
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
    // What another start could not help says why there is none.
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
