package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.DistributedMode;
import io.tony.model.EndPolicy;
import io.tony.model.EndPolicy.GroupTimeout;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.Supervision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What the end of one task means for the job. */
final class Outcomes {
  private static final String OVER = "the training is over";

  private Outcomes() {}

  static Decision afterSuccess(JobState state, Event event, Task task) {
    Decision done = Decision.of(state, new StopTask(task.key(), "its work is done"));
    if (state.job().end().chiefDecides() && task.id().equals(state.job().chief())) {
      JobResult result = JobResult.succeeded("the chief, " + task.id() + ", succeeded");
      return done.then(now -> Stopping.begin(now, event, result, OVER));
    }
    return done.then(now -> afterEnd(now, event, task));
  }

  /**
   * What follows from a failure.
   *
   * @param before the task as it was when it failed
   * @param healthy whether its executor is still there
   */
  static Decision afterFailure(
      JobState state, Event event, Task before, TaskFailure failure, boolean healthy) {
    if (!before.started() && !dispensable(state, before)) {
      return Restarting.replace(state, event, before, failure)
          .orElseGet(() -> end(state, event, before, failure));
    }
    Optional<Decision> alone = Restarting.alone(state, event, before, failure, healthy);
    if (alone.isPresent()) {
      return alone.get();
    }
    boolean allFailed = state.open() == 0 && state.succeeded() == 0;
    if (tolerated(state, before, failure) && !allFailed) {
      return Decision.of(state, new StopTask(before.key(), "the job goes on without it"))
          .then(now -> afterEnd(now, event, before));
    }
    return Restarting.gang(state, event, before, failure, healthy)
        .orElseGet(() -> end(state, event, before, failure));
  }

  /** In gang mode the others wait for every task, also for one that nobody would miss later. */
  private static boolean dispensable(JobState state, Task task) {
    return state.role(task).supervision() == Supervision.SIDECAR
        && state.job().mode() == DistributedMode.FCFS;
  }

  private static boolean tolerated(JobState state, Task task, TaskFailure failure) {
    EndPolicy end = state.job().end();
    return switch (state.role(task).supervision()) {
      case SIDECAR -> true;
      case UNTRACKED -> false;
      case TRACKED ->
          state.gang().excused().contains(task.id().role())
              || (failure.ofTheProgram()
                  && !end.failOnAnyTask()
                  && !state.role(task).stopsJob()
                  && !task.id().equals(state.job().chief()));
    };
  }

  /** A task has ended for good: others may have waited for that. */
  private static Decision afterEnd(JobState state, Event event, Task task) {
    if (state.open() == 0) {
      return Stopping.begin(state, event, JobResult.succeeded(tally(state)), OVER);
    }
    return groupTimers(state, task)
        .then(now -> Starting.request(now, event))
        .then(now -> Starting.settle(now, event));
  }

  private static String tally(JobState state) {
    int tracked = state.job().trackedTasks();
    return state.succeeded()
        + " of "
        + tracked
        + (tracked == 1 ? " task" : " tasks")
        + " succeeded";
  }

  private static Decision end(JobState state, Event event, Task task, TaskFailure failure) {
    JobResult result =
        new JobResult(
            JobResult.Status.FAILED,
            failure.kind(),
            failure.message(),
            task.id(),
            failure.exitCode());
    return Decision.of(state, new StopTask(task.key(), "it is not started again"))
        .then(now -> Stopping.begin(now, event, result, "another task failed"));
  }

  // ---- Roles that may outlive a group only so long ----

  /** Sets the timers of the groups that this task was the last of. */
  private static Decision groupTimers(JobState state, Task ended) {
    return groupTimers(state, rule -> rule.members().contains(ended.id().role()));
  }

  /**
   * Sets the timers of all groups that have ended, from the beginning: after a restart, or under
   * another ApplicationMaster, no end of a member may come that would set them.
   */
  static Decision groupTimers(JobState state) {
    return groupTimers(state, rule -> true);
  }

  private static Decision groupTimers(JobState state, Predicate<GroupTimeout> wanted) {
    List<Action> actions = new ArrayList<>();
    List<GroupTimeout> rules = state.job().end().timeouts();
    for (int i = 0; i < rules.size(); i++) {
      GroupTimeout rule = rules.get(i);
      if (wanted.test(rule)
          && awaited(state, rule)
          && rule.members().stream().allMatch(state::roleEnded)) {
        actions.add(new SetTimer(Timer.group(i), rule.limit()));
      }
    }
    return new Decision(state, actions);
  }

  /** Whether the role that the rule bounds is still waited for. */
  private static boolean awaited(JobState state, GroupTimeout rule) {
    return !state.roleEnded(rule.role()) && !state.gang().excused().contains(rule.role());
  }

  /** What takes all of these timers back. */
  static List<Action> cancelGroupTimers(JobState state) {
    List<Action> actions = new ArrayList<>();
    for (int rule = 0; rule < state.job().end().timeouts().size(); rule++) {
      actions.add(new CancelTimer(Timer.group(rule)));
    }
    return actions;
  }

  static Decision groupTimedOut(JobState state, Event event, int index) {
    GroupTimeout rule = state.job().end().timeouts().get(index);
    if (!awaited(state, rule)) {
      return Decision.unchanged(state);
    }
    String message = Timeouts.group(state, rule);
    JobState next = state.with(state.gang().excusing(rule.role()));
    if (!rule.ignored()) {
      return outlived(state, event, message);
    }
    if (next.open() == 0 && next.succeeded() == 0) {
      return outlived(state, event, message + "; without it no task has succeeded");
    }
    JobEvent fact =
        Facts.job(state, event, JobEvent.Type.ROLE_EXCUSED)
            .with("role", rule.role())
            .with("message", message)
            .event();
    Decision excused = Decision.of(next, new AppendEvent(fact));
    return next.open() > 0
        ? excused
        : excused.then(now -> Stopping.begin(now, event, JobResult.succeeded(tally(now)), OVER));
  }

  private static Decision outlived(JobState state, Event event, String message) {
    return Stopping.end(state, event, JobResult.failed(FailureKind.TIMEOUT, message), message);
  }
}
