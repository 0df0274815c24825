package io.tony.am.machine;

import io.tony.fact.FirstCause;
import io.tony.fact.GangFact;
import io.tony.fact.Payer;
import io.tony.fact.TaskFact;
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
final class FirstCauses {
  /** However many tasks fail, so many facts name the cause at once, and one more in the end. */
  private static final int AT_ONCE = 2;

  private FirstCauses() {}

  /** A program has failed, and the gang or the job with it: this is when it had ended. */
  static void ended(Draft draft, TaskKey key, Instant ended) {
    Incident incident = draft.state().gang().incident();
    if (incident.tasks() != null
        && incident.told() == 0
        && incident.first().task().equals(key.task())
        && incident.tasks().get(key.task()).key().equals(key)) {
      draft.hear(incident.endedAt(ended));
    }
  }

  /** A program of the gang as it was has ended, perhaps before anybody wanted it to. */
  static void exited(Draft draft, TaskKey key, Event.Exit exit) {
    Incident incident = draft.state().gang().incident();
    Task task = incident.awaited(key);
    if (task == null || !draft.state().matters(task)) {
      return;
    }
    Incident next = incident.heardOf(task);
    draft.hear(next);
    boolean well = exit.code() == 0 && exit.executorMessage().isEmpty();
    if (exit.byItself() && !well) {
      take(draft, next, TaskFailure.of(task, exit).fact(draft.state(), task), exit.ended());
    }
  }

  private static void take(Draft draft, Incident incident, TaskFact.Failed failure, Instant ended) {
    String words = SecondaryFailure.of(failure);
    if (!incident.isAfter(words, ended)) {
      draft.hear(incident.and(failure, words));
      return;
    }
    draft.hear(incident.because(failure, ended));
    if (incident.told() < AT_ONCE) {
      tell(draft, FirstCause.Refund.NONE);
    }
  }

  /** A container is gone, or nobody hears of its executor, and the task fails with it. */
  static void lost(Draft draft, Task task, TaskFailure failure) {
    draft.record(failure.fact(draft.state(), task));
    lost(draft, task.key(), failure, false);
    Outcomes.afterFailure(draft, task, failure, false);
  }

  /**
   * The same between two ApplicationMasters: what follows is decided later. Nobody pays for what
   * had not started again, and what YARN took with the first of them came after the failures.
   */
  static void lostMeanwhile(Draft draft, Task task, TaskFailure failure) {
    draft.record(failure.fact(draft.state(), task));
    if (!failure.ofTheMaster()) {
      lost(draft, task.key(), failure, true);
    }
  }

  /** The same while the job stops: unless the task has told that it ended, it was not told to. */
  static void lost(Draft draft, Event.ContainerEnded event) {
    Task task = JobMachine.inContainer(draft.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      lost(draft, task.key(), TaskFailure.of(task, event), false); // the event's may be older
    }
  }

  /**
   * Where that was so before the gang was started again, the programs of the others have failed
   * because of it, and their user is not to pay for that. {@code free} is whether nobody pays for
   * the loss.
   */
  private static void lost(Draft draft, TaskKey key, TaskFailure failure, boolean free) {
    Incident incident = draft.state().gang().incident();
    Task task = incident.inContainer(key);
    if (task == null || !draft.state().matters(task) || livedOn(draft.state(), task)) {
      return;
    }
    TaskFact.Failed fact = failure.fact(draft.state(), task);
    draft.hear(incident.heardOf(task));
    if (incident.isAfter("", null)) {
      draft.hear(incident.heardOf(task).because(fact, null));
      tell(draft, refund(draft.state(), task, failure, free));
    }
  }

  /** Its executor has registered since, or is another: it was there when the others failed. */
  private static boolean livedOn(JobState state, Task task) {
    Task now = state.tasks().get(task.id());
    boolean again = state.session() > state.gang().incident().gang();
    return again && (!now.kept() || now.alone());
  }

  /** Where the first cause is paid for instead, or nobody needs to pay for it. */
  private static FirstCause.Refund refund(
      JobState state, Task task, TaskFailure failure, boolean free) {
    FailureKind charged = state.gang().incident().charged();
    if (charged == null) {
      return FirstCause.Refund.NONE;
    }
    int left = state.budget().left(charged) + 1;
    JobState refunded = state.with(state.budget().withLeft(charged, left));
    boolean paid =
        free || Restarting.payer(refunded, state.tasks().get(task.id()), failure).isPresent();
    return paid ? new FirstCause.Refund(charged, left) : FirstCause.Refund.NONE;
  }

  /** No report of the failed gang comes any more, or it is of no use: what is not told, is now. */
  static void conclude(Draft draft) {
    Incident incident = draft.state().gang().incident();
    if (incident.news() && !incident.follows()) {
      tell(draft, FirstCause.Refund.NONE);
    }
  }

  private static void tell(Draft draft, FirstCause.Refund refund) {
    Incident incident = draft.state().gang().incident();
    draft.record(new FirstCause(incident.first(), incident.gang(), incident.others(), refund));
  }

  // ---- What the facts make of a state ----

  /** The gang starts again; what is heard of it as it was may name another cause. */
  static JobState restarted(JobState before, JobState next, GangFact.Restarted fact) {
    // Nothing comes before a lost container; a program may fail because of another.
    boolean another = fact.payer() == Payer.JOB && fact.kind() == FailureKind.PROGRAM;
    return next.with(next.gang().with(open(before, fact.task(), another ? fact.kind() : null)));
  }

  /** The job ends; so does what is heard of it, if a task's failure is why. */
  static JobState stopping(JobState before, JobResult result) {
    JobState next = before.stopping(result);
    return next.with(next.gang().with(open(before, result.task(), null)));
  }

  private static Incident open(JobState before, TaskId failed, FailureKind charged) {
    Incident incident = before.gang().incident();
    boolean noted =
        incident.latest() != null
            && incident.latest().task().equals(failed)
            && before.tasks().contains(failed)
            && before.tasks().get(failed).state() == TaskState.FAILED;
    return noted ? incident.opened(before.tasks(), before.session(), charged) : incident.closed();
  }

  static JobState named(JobState state, FirstCause fact) {
    FirstCause.Refund refund = fact.refund();
    JobState paid =
        refund.kind() == null
            ? state
            : state.with(state.budget().withLeft(refund.kind(), refund.left()));
    JobState next = paid.with(paid.gang().with(paid.gang().incident().told(fact)));
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
