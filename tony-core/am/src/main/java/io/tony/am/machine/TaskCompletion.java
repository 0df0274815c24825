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

/**
 * Decides what follows from the success or failure of a task: a restart, the end of the job, or
 * nothing.
 */
final class TaskCompletion {
  private static final String STOP_REASON = "the training is over";

  private TaskCompletion() {}

  static void handleSuccess(DecisionBuilder decision, Task task) {
    decision.emit(new StopTask(task.key(), "its work is done"));
    LiveResize.handleSuccess(decision, task);
    JobState state = decision.state();
    if (state.job().endPolicy().chiefDecides() && task.id().equals(state.job().chief())) {
      JobResult result = JobResult.succeeded("the chief, " + task.id() + ", succeeded");
      JobShutdown.begin(decision, result, STOP_REASON);
    } else {
      handleEnd(decision, task);
    }
  }

  /**
   * Decides what follows from a task's failure: a restart of the task or of the gang, the end of
   * the job, or nothing.
   *
   * @param before the task in its state at the failure
   * @param executorAlive true if the task's executor still runs
   */
  static void handleFailure(
      DecisionBuilder decision, Task before, TaskFailure failure, boolean executorAlive) {
    if (LiveResize.isJoining(decision.state(), before)) {
      handleFailedJoin(decision, before, failure);
    } else if (!before.isRunning() && !decision.state().canContinueWithout(before)) {
      boolean restarted =
          LiveResize.isNeededMember(decision.state(), before)
              ? RestartPolicy.tryRestartGang(decision, before, failure, executorAlive)
              : RestartPolicy.tryReplaceContainer(decision, before, failure);
      if (!restarted) {
        endJob(decision, before, failure);
      }
    } else if (RepeatedFailures.isRetryFutile(decision.state(), before, failure)) {
      if (!tryContinueWithout(decision, before, failure)) {
        endJob(
            decision,
            before,
            RepeatedFailures.jobResult(decision.state(), before, failure),
            failure.hung());
      }
    } else if (!PendingFailures.tryRestartGangForLoss(decision, before, failure, executorAlive)
        && !RestartPolicy.tryRestartTask(decision, before, failure, executorAlive)
        && !tryContinueWithout(decision, before, failure)
        && !RestartPolicy.tryRestartGang(decision, before, failure, executorAlive)) {
      endJob(decision, before, failure);
    }
  }

  /**
   * Handles the loss of a new member before its program started: the gang goes on without the
   * member. If no other task is left and none has succeeded, restarts the gang or ends the job.
   */
  static void handleFailedJoin(DecisionBuilder decision, Task task, TaskFailure failure) {
    if (!allFailed(decision.state())) {
      LiveResize.cancelJoin(decision, task);
      RestartPolicy.avoidAfterLoss(decision, task.node(), failure);
      handleEnd(decision, task);
    } else if (!RestartPolicy.tryRestartGang(decision, task, failure, false)) {
      endJob(decision, task, failure);
    }
  }

  private static boolean allFailed(JobState state) {
    return state.openTaskCount() == 0 && state.succeededTaskCount() == 0;
  }

  /**
   * Returns true if the failure of this running program would end the job: the job does not
   * tolerate it, and neither the role nor the job has a retry left.
   */
  static boolean isFinal(JobState state, Task task, TaskFailure failure) {
    return task.retries() >= state.role(task).maxTaskRetries()
        && !isTolerated(state, task, failure)
        && RestartPolicy.chargedTo(state, task, failure).isEmpty();
  }

  /**
   * Continues the job without the failed task. Returns false, and does nothing, if the job does not
   * tolerate the failure, or if no other task is left and none has succeeded.
   */
  private static boolean tryContinueWithout(
      DecisionBuilder decision, Task before, TaskFailure failure) {
    JobState state = decision.state();
    if (!isTolerated(state, before, failure) || allFailed(state)) {
      return false;
    }
    decision.emit(new StopTask(before.key(), "the job goes on without it"));
    if (!before.isRunning()) {
      // Stop the container as well, because the executor may not take orders yet.
      decision.emit(new StopContainer(before.key()));
    }
    handleEnd(decision, before);
    return true;
  }

  /** Returns true if the job may continue without the lost task instead of restarting it. */
  static boolean mayContinueWithout(JobState state, Task lost, TaskFailure failure) {
    return LiveResize.isJoining(state, lost)
        || (lost.isRunning() && isTolerated(state, lost, failure));
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

  /**
   * Handles the end of a task that does not run again: ends the job if it waits for no other task;
   * otherwise starts the roles and group timeouts that have waited for this end.
   */
  private static void handleEnd(DecisionBuilder decision, Task task) {
    String role = task.id().role();
    // An excused role has counted as finished since it was excused. Therefore the end of one of its
    // tasks does not start the timeout of a group.
    handleEnd(decision, role, !decision.state().gang().excusedRoles().contains(role));
  }

  /**
   * Handles the end of a task in the role that does not run again, or of the whole role.
   *
   * @param counts true if this end may be the last one of a group whose timeout then starts
   */
  private static void handleEnd(DecisionBuilder decision, String role, boolean counts) {
    if (decision.state().openTaskCount() == 0) {
      JobShutdown.begin(decision, JobResult.succeeded(tally(decision.state())), STOP_REASON);
    } else {
      setGroupTimers(decision, rule -> counts && rule.members().contains(role));
      GangStart.requestContainers(decision);
      GangStart.startIfAllRegistered(decision);
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

  private static void endJob(DecisionBuilder decision, Task task, TaskFailure failure) {
    endJob(
        decision,
        task,
        new JobResult(
            JobResult.Status.FAILED,
            failure.kind(),
            failure.message(),
            task.id(),
            failure.exitCode()),
        failure.hung());
  }

  private static void endJob(DecisionBuilder decision, Task task, JobResult result, boolean hung) {
    decision.emit(new StopTask(task.key(), "it is not started again"));
    JobShutdown.begin(decision, result, "another task failed", hung);
  }

  // ---- Group timeouts ----

  /**
   * Starts the timeout of every group whose members have all ended, with its full duration. Usually
   * the end of the last member starts the timeout; after a restart of the gang or a change of
   * ApplicationMasters, no such end may follow.
   */
  static void setGroupTimers(DecisionBuilder decision) {
    setGroupTimers(decision, rule -> true);
  }

  private static void setGroupTimers(DecisionBuilder decision, Predicate<GroupTimeout> filter) {
    JobState state = decision.state();
    List<GroupTimeout> rules = state.job().endPolicy().timeouts();
    for (int i = 0; i < rules.size(); i++) {
      GroupTimeout rule = rules.get(i);
      if (filter.test(rule)
          && !state.isRoleFinished(rule.role())
          && rule.members().stream().allMatch(state::isRoleFinished)) {
        decision.emit(new SetTimer(Timer.group(i), rule.limit()));
      }
    }
  }

  /** Cancels the timers of all group timeouts. */
  static void cancelGroupTimers(DecisionBuilder decision) {
    for (int rule = 0; rule < decision.state().job().endPolicy().timeouts().size(); rule++) {
      decision.emit(new CancelTimer(Timer.group(rule)));
    }
  }

  static void groupTimedOut(DecisionBuilder decision, int index) {
    JobState state = decision.state();
    GroupTimeout rule = state.job().endPolicy().timeouts().get(index);
    if (state.isRoleFinished(rule.role())) {
      return;
    }
    String message = Timeouts.groupMessage(state, rule);
    JobState without = state.with(state.gang().withExcused(rule.role()));
    if (!rule.ignored()) {
      endJobForTimeout(decision, message);
    } else if (allFailed(without)) {
      endJobForTimeout(decision, message + "; without it no task has succeeded");
    } else {
      decision.record(new JobFact.RoleExcused(rule.role(), message));
      LiveResize.handleExcusedRole(decision, rule.role());
      handleEnd(decision, rule.role(), true);
    }
  }

  private static void endJobForTimeout(DecisionBuilder decision, String message) {
    JobShutdown.beginUnlessStopping(
        decision, JobResult.failed(FailureKind.TIMEOUT, message), message);
  }
}
