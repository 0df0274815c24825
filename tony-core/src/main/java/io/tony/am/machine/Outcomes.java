package io.tony.am.machine;

import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.fact.JobFact;
import io.tony.model.EndPolicy;
import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.util.List;
import java.util.function.Predicate;

/** What the end of one task means for the job. */
final class Outcomes {
  private static final String OVER = "the training is over";

  private Outcomes() {}

  static void afterSuccess(Draft draft, Task task) {
    draft.act(new StopTask(task.key(), "its work is done"));
    Joining.afterSuccess(draft, task);
    JobState state = draft.state();
    if (state.job().end().chiefDecides() && task.id().equals(state.job().chief())) {
      JobResult result = JobResult.succeeded("the chief, " + task.id() + ", succeeded");
      Stopping.begin(draft, result, OVER);
    } else {
      afterEnd(draft, task);
    }
  }

  /**
   * What follows from a failure.
   *
   * @param before the task as it was when it failed
   * @param healthy whether its executor is still there
   */
  static void afterFailure(Draft draft, Task before, TaskFailure failure, boolean healthy) {
    if (Joining.isNew(draft.state(), before)) {
      afterLeaving(draft, before, failure);
    } else if (!before.started() && !draft.state().goesOnWithout(before)) {
      boolean again =
          Joining.isMissed(draft.state(), before)
              ? Restarting.gang(draft, before, failure, healthy)
              : Restarting.replace(draft, before, failure);
      if (!again) {
        end(draft, before, failure);
      }
    } else if (Futility.isReached(draft.state(), before, failure)) {
      if (!goesOnWithout(draft, before, failure)) {
        end(draft, before, Futility.result(draft.state(), before, failure), failure.hung());
      }
    } else if (!PendingFailures.areExplained(draft, before, failure, healthy)
        && !Restarting.alone(draft, before, failure, healthy)
        && !goesOnWithout(draft, before, failure)
        && !Restarting.gang(draft, before, failure, healthy)) {
      end(draft, before, failure);
    }
  }

  /**
   * What follows from the loss of a task that was to join and whose program was not started: the
   * gang goes on without it. Where it was the last open task, that ends the job.
   */
  static void afterLeaving(Draft draft, Task task, TaskFailure failure) {
    if (!allFailed(draft.state())) {
      Joining.leave(draft, task);
      Restarting.avoidAfterLoss(draft, task.node(), failure);
      afterEnd(draft, task);
    } else if (!Restarting.gang(draft, task, failure, false)) {
      end(draft, task, failure);
    }
  }

  private static boolean allFailed(JobState state) {
    return state.open() == 0 && state.succeeded() == 0;
  }

  /** Whether a failure of a program that runs would end the job: no retry of it is left. */
  static boolean isFinal(JobState state, Task task, TaskFailure failure) {
    return task.retries() >= state.role(task).retries()
        && !tolerated(state, task, failure)
        && Restarting.payer(state, task, failure).isEmpty();
  }

  /** It is not started again, and nobody needs it. */
  private static boolean goesOnWithout(Draft draft, Task before, TaskFailure failure) {
    JobState state = draft.state();
    if (!tolerated(state, before, failure) || allFailed(state)) {
      return false;
    }
    draft.act(new StopTask(before.key(), "the job goes on without it"));
    if (!before.started()) {
      draft.act(new StopContainer(before.key())); // its executor may never listen
    }
    afterEnd(draft, before);
    return true;
  }

  /** Whether the job may go on without the lost task, rather than start it again. */
  static boolean mayLeave(JobState state, Task lost, TaskFailure failure) {
    return Joining.isNew(state, lost) || (lost.started() && tolerated(state, lost, failure));
  }

  private static boolean tolerated(JobState state, Task task, TaskFailure failure) {
    EndPolicy end = state.job().end();
    if (Joining.isOver(state, task) && failure.ofTheContainer()) {
      return true;
    }
    return switch (state.role(task).supervision()) {
      case SIDECAR -> true;
      case UNTRACKED -> false;
      case TRACKED ->
          !state.role(task).stopsJob()
              && (state.gang().excused().contains(task.id().role())
                  || (failure.ofTheProgram()
                      && !end.failOnAnyTask()
                      && !task.id().equals(state.job().chief())));
    };
  }

  /** A task has ended for good: others may have waited for that. */
  private static void afterEnd(Draft draft, Task task) {
    String role = task.id().role();
    // Where the job goes on without the role, the groups that it is of have not waited for this.
    afterEnd(draft, role, !draft.state().gang().excused().contains(role));
  }

  /** {@code counts} is whether that may have been what its groups waited for. */
  private static void afterEnd(Draft draft, String role, boolean counts) {
    if (draft.state().open() == 0) {
      Stopping.begin(draft, JobResult.succeeded(tally(draft.state())), OVER);
    } else {
      groupTimers(draft, rule -> counts && rule.members().contains(role));
      Starting.request(draft);
      Starting.startIfAllAreThere(draft);
    }
  }

  private static String tally(JobState state) {
    int tracked = state.job().trackedTasks();
    return state.succeeded()
        + " of "
        + tracked
        + (tracked == 1 ? " task" : " tasks")
        + " succeeded";
  }

  private static void end(Draft draft, Task task, TaskFailure failure) {
    end(
        draft,
        task,
        new JobResult(
            JobResult.Status.FAILED,
            failure.kind(),
            failure.message(),
            task.id(),
            failure.exitCode()),
        failure.hung());
  }

  private static void end(Draft draft, Task task, JobResult result, boolean hung) {
    draft.act(new StopTask(task.key(), "it is not started again"));
    Stopping.begin(draft, result, "another task failed", hung);
  }

  // ---- Roles that may outlive a group only so long ----

  /**
   * Sets the timers of all groups that have ended, from the beginning: after a restart, or under
   * another ApplicationMaster, no end of a member may come that would set them.
   */
  static void groupTimers(Draft draft) {
    groupTimers(draft, rule -> true);
  }

  private static void groupTimers(Draft draft, Predicate<GroupTimeout> wanted) {
    JobState state = draft.state();
    List<GroupTimeout> rules = state.job().end().timeouts();
    for (int i = 0; i < rules.size(); i++) {
      GroupTimeout rule = rules.get(i);
      if (wanted.test(rule)
          && !state.isOver(rule.role())
          && rule.members().stream().allMatch(state::isOver)) {
        draft.act(new SetTimer(Timer.group(i), rule.limit()));
      }
    }
  }

  /** Takes all of these timers back. */
  static void cancelGroupTimers(Draft draft) {
    for (int rule = 0; rule < draft.state().job().end().timeouts().size(); rule++) {
      draft.act(new CancelTimer(Timer.group(rule)));
    }
  }

  static void groupTimedOut(Draft draft, int index) {
    JobState state = draft.state();
    GroupTimeout rule = state.job().end().timeouts().get(index);
    if (state.isOver(rule.role())) {
      return;
    }
    String message = Timeouts.group(state, rule);
    JobState without = state.with(state.gang().excusing(rule.role()));
    if (!rule.ignored()) {
      outlived(draft, message);
    } else if (allFailed(without)) {
      outlived(draft, message + "; without it no task has succeeded");
    } else {
      draft.record(new JobFact.RoleExcused(rule.role(), message));
      Joining.afterExcuse(draft, rule.role());
      afterEnd(draft, rule.role(), true);
    }
  }

  private static void outlived(Draft draft, String message) {
    Stopping.end(draft, JobResult.failed(FailureKind.TIMEOUT, message), message);
  }
}
