package io.tony.am.machine;

import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How a gang is taken down: told to stop, waited for, and forced when it does not. */
final class Stopping {
  private Stopping() {}

  /**
   * The job is to end with this result. Where the gang is stopping already, an earlier result
   * stands; but a gang that was to be started again is not.
   */
  static Decision end(JobState state, Event event, JobResult result, String reason) {
    JobState.Outcome outcome = new JobState.Outcome(result);
    if (state.phase() != Phase.STOPPING) {
      return begin(state, event, outcome, reason);
    }
    return Decision.unchanged(state.outcome().restart() ? state.stopping(outcome) : state);
  }

  /** Decides the outcome and tells every task to end. */
  static Decision begin(JobState state, Event event, JobState.Outcome outcome, String reason) {
    List<Action> actions = new ArrayList<>();
    actions.add(new Action.CancelTimer(Timer.ALLOCATION));
    actions.add(new Action.CancelTimer(Timer.REGISTRATION));
    Duration patience = state.job().limits().stopGrace().plus(JobMachine.STOP_MARGIN);
    actions.add(new Action.SetTimer(Timer.STOPPING, patience));

    TaskTable tasks = state.tasks();
    Map<String, Integer> unserved = new HashMap<>();
    for (Task task : state.tasks()) {
      TaskKey key = task.key(state.session());
      switch (task.state()) {
        case WAITING -> tasks = tasks.with(task.in(TaskState.STOPPED));
        case REQUESTED -> {
          tasks = tasks.with(task.in(TaskState.STOPPED));
          unserved.merge(task.id().role(), 1, Integer::sum);
        }
        // Its executor does not listen yet, and has no user's process.
        case LAUNCHING -> actions.add(new Action.StopContainer(key));
        case REGISTERED, RUNNING -> actions.add(new Action.StopTask(key, reason));
        case SUCCEEDED, FAILED, STOPPED -> {}
      }
    }
    for (RoleSpec role : state.job().roles()) {
      if (unserved.containsKey(role.name())) {
        actions.add(new Action.CancelRequests(role, unserved.get(role.name())));
      }
    }
    JobState next = state.with(tasks).stopping(outcome);
    return new Decision(next, actions).then(now -> JobMachine.conclude(now, event));
  }

  /** The task's process or container is gone, as it was told to be. */
  static Decision taskGone(JobState state, Event event, TaskKey key) {
    Task task = JobMachine.current(state, key);
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state);
    }
    Task next = task.in(TaskState.STOPPED);
    JobEvent fact = Facts.task(state, event, JobEvent.Type.TASK_STOPPED, next).event();
    return Decision.of(state.with(next), new Action.AppendEvent(fact));
  }

  /** Whatever has not ended by now is ended by YARN. */
  static Decision force(JobState state, Event event) {
    List<Action> actions = new ArrayList<>();
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state().holdsContainer()) {
        Task stopped = task.in(TaskState.STOPPED);
        tasks = tasks.with(stopped);
        actions.add(new Action.StopContainer(task.key(state.session())));
        actions.add(
            new Action.AppendEvent(
                Facts.task(state, event, JobEvent.Type.TASK_STOPPED, stopped).event()));
      }
    }
    return new Decision(state.with(tasks), actions);
  }
}
