package io.tony.am.machine;

import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.event.JobFact;
import io.tony.model.EndPolicy;
import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.util.List;
import java.util.function.Predicate;

/** Decides what the end of one task means for the job. */
final class TaskCompletion {
  private static final String STOP_REASON = "the training is over";

  private TaskCompletion() {}

  static void afterSuccess(DecisionBuilder draft, Task task) {
    draft.emit(new StopTask(task.key(), "its work is done"));
    LiveResize.afterSuccess(draft, task);
    JobState state = draft.state();
    if (state.job().endPolicy().chiefDecides() && task.id().equals(state.job().chief())) {
      JobResult result = JobResult.succeeded("the chief, " + task.id() + ", succeeded");
      JobShutdown.begin(draft, result, STOP_REASON);
    } else {
      afterEnd(draft, task);
    }
  }

  /**
   * Handles a task's failure.
   *
   * @param before the task in its state at the failure
   * @param executorAlive true if the task's executor still runs
   */
  static void afterFailure(
      DecisionBuilder draft, Task before, TaskFailure failure, boolean executorAlive) {
    if (LiveResize.isJoining(draft.state(), before)) {
      afterFailedJoin(draft, before, failure);
    } else if (!before.started() && !draft.state().canContinueWithout(before)) {
      boolean restarted =
          LiveResize.isMissed(draft.state(), before)
              ? RestartPolicy.tryRestartGang(draft, before, failure, executorAlive)
              : RestartPolicy.tryReplaceContainer(draft, before, failure);
      if (!restarted) {
        endJob(draft, before, failure);
      }
    } else if (RepeatedFailures.isRetryFutile(draft.state(), before, failure)) {
      if (!tryContinueWithout(draft, before, failure)) {
        endJob(
            draft,
            before,
            RepeatedFailures.jobResult(draft.state(), before, failure),
            failure.hung());
      }
    } else if (!PendingFailures.tryRestartGangForLoss(draft, before, failure, executorAlive)
        && !RestartPolicy.tryRestartTask(draft, before, failure, executorAlive)
        && !tryContinueWithout(draft, before, failure)
        && !RestartPolicy.tryRestartGang(draft, before, failure, executorAlive)) {
      endJob(draft, before, failure);
    }
  }

  /**
   * Handles the loss of a joining task before its program started: the gang goes on without the
   * task, unless the task was the last open one and none has succeeded.
   */
  static void afterFailedJoin(DecisionBuilder draft, Task task, TaskFailure failure) {
    if (!allFailed(draft.state())) {
      LiveResize.cancelJoin(draft, task);
      RestartPolicy.avoidAfterLoss(draft, task.node(), failure);
      afterEnd(draft, task);
    } else if (!RestartPolicy.tryRestartGang(draft, task, failure, false)) {
      endJob(draft, task, failure);
    }
  }

  private static boolean allFailed(JobState state) {
    return state.openTaskCount() == 0 && state.succeededTaskCount() == 0;
  }

  /**
   * Returns true if the failure of a running program would end the job because no retry is left.
   */
  static boolean isFinal(JobState state, Task task, TaskFailure failure) {
    return task.retries() >= state.role(task).maxTaskRetries()
        && !isTolerated(state, task, failure)
        && RestartPolicy.chargedTo(state, task, failure).isEmpty();
  }

  /** Goes on without the failed task if the job tolerates its failure. Returns false otherwise. */
  private static boolean tryContinueWithout(
      DecisionBuilder draft, Task before, TaskFailure failure) {
    JobState state = draft.state();
    if (!isTolerated(state, before, failure) || allFailed(state)) {
      return false;
    }
    draft.emit(new StopTask(before.key(), "the job goes on without it"));
    if (!before.started()) {
      draft.emit(new StopContainer(before.key())); // the executor may never have listened
    }
    afterEnd(draft, before);
    return true;
  }

  /** Returns true if the job may go on without the lost task instead of restarting it. */
  static boolean mayContinueWithout(JobState state, Task lost, TaskFailure failure) {
    return LiveResize.isJoining(state, lost)
        || (lost.started() && isTolerated(state, lost, failure));
  }

  private static boolean isTolerated(JobState state, Task task, TaskFailure failure) {
    EndPolicy end = state.job().endPolicy();
    if (LiveResize.isRoleWorkDone(state, task) && failure.isContainerLoss()) {
      return true;
    }
    return switch (state.role(task).supervision()) {
      case SIDECAR -> true;
      case UNTRACKED -> false;
      case TRACKED ->
          !state.role(task).stopsJob()
              && (state.gang().excusedRoles().contains(task.id().role())
                  || (failure.isProgramFailure()
                      && !end.failOnAnyTask()
                      && !task.id().equals(state.job().chief())));
    };
  }

  /** Handles the final end of a task, which other tasks or a group timeout may wait for. */
  private static void afterEnd(DecisionBuilder draft, Task task) {
    String role = task.id().role();
    // A role that the job goes on without does not count for its groups.
    afterEnd(draft, role, !draft.state().gang().excusedRoles().contains(role));
  }

  /**
   * Handles a final end in the role.
   *
   * @param counts true if the groups of the role may have waited for this end
   */
  private static void afterEnd(DecisionBuilder draft, String role, boolean counts) {
    if (draft.state().openTaskCount() == 0) {
      JobShutdown.begin(draft, JobResult.succeeded(tally(draft.state())), STOP_REASON);
    } else {
      setGroupTimers(draft, rule -> counts && rule.members().contains(role));
      GangStart.requestContainers(draft);
      GangStart.startIfComplete(draft);
    }
  }

  private static String tally(JobState state) {
    int tracked = state.job().trackedTaskCount();
    return state.succeededTaskCount()
        + " of "
        + tracked
        + (tracked == 1 ? " task" : " tasks")
        + " succeeded";
  }

  private static void endJob(DecisionBuilder draft, Task task, TaskFailure failure) {
    endJob(
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

  private static void endJob(DecisionBuilder draft, Task task, JobResult result, boolean hung) {
    draft.emit(new StopTask(task.key(), "it is not started again"));
    JobShutdown.begin(draft, result, "another task failed", hung);
  }

  // ---- Group timeouts ----

  /**
   * Sets the timers of all finished groups to their full duration. Needed after a restart or a
   * change of ApplicationMasters, because no member's end may follow that would set them.
   */
  static void setGroupTimers(DecisionBuilder draft) {
    setGroupTimers(draft, rule -> true);
  }

  private static void setGroupTimers(DecisionBuilder draft, Predicate<GroupTimeout> filter) {
    JobState state = draft.state();
    List<GroupTimeout> rules = state.job().endPolicy().timeouts();
    for (int i = 0; i < rules.size(); i++) {
      GroupTimeout rule = rules.get(i);
      if (filter.test(rule)
          && !state.isRoleFinished(rule.role())
          && rule.members().stream().allMatch(state::isRoleFinished)) {
        draft.emit(new SetTimer(Timer.group(i), rule.limit()));
      }
    }
  }

  /** Cancels the timers of all groups. */
  static void cancelGroupTimers(DecisionBuilder draft) {
    for (int rule = 0; rule < draft.state().job().endPolicy().timeouts().size(); rule++) {
      draft.emit(new CancelTimer(Timer.group(rule)));
    }
  }

  static void groupTimedOut(DecisionBuilder draft, int index) {
    JobState state = draft.state();
    GroupTimeout rule = state.job().endPolicy().timeouts().get(index);
    if (state.isRoleFinished(rule.role())) {
      return;
    }
    String message = Timeouts.groupMessage(state, rule);
    JobState without = state.with(state.gang().withExcused(rule.role()));
    if (!rule.ignored()) {
      endJobForTimeout(draft, message);
    } else if (allFailed(without)) {
      endJobForTimeout(draft, message + "; without it no task has succeeded");
    } else {
      draft.record(new JobFact.RoleExcused(rule.role(), message));
      LiveResize.afterExcuse(draft, rule.role());
      afterEnd(draft, rule.role(), true);
    }
  }

  private static void endJobForTimeout(DecisionBuilder draft, String message) {
    JobShutdown.beginUnlessStopping(draft, JobResult.failed(FailureKind.TIMEOUT, message), message);
  }
}
