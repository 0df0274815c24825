package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.Finish;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How a job is taken down: told to stop, waited for, and forced when it does not. */
final class Stopping {
  private Stopping() {}

  /** The job is to end with this result; where it is ending already, an earlier result stands. */
  static Decision end(JobState state, Event event, JobResult result, String reason) {
    return state.phase() == Phase.STOPPING
        ? Decision.unchanged(state)
        : begin(state, event, result, reason);
  }

  /** Decides the result and tells every task to end. */
  static Decision begin(JobState state, Event event, JobResult result, String reason) {
    List<Action> actions = new ArrayList<>();
    actions.add(new AppendEvent(resultFact(state, event, JobEvent.Type.JOB_STOPPING, result)));
    for (Timer timer :
        List.of(Timer.ALLOCATION, Timer.NOTICE, Timer.HOLD, Timer.BACK_OFF, Timer.REGISTRATION)) {
      actions.add(new CancelTimer(timer));
    }
    actions.addAll(Outcomes.cancelGroupTimers(state));
    for (RoleSpec role : state.job().roles()) {
      int owed = state.tasks().count(role.name(), TaskState.REQUESTED);
      if (owed > 0) {
        actions.add(new CancelRequests(role, owed));
      }
    }
    return new Decision(state.stopping(result), actions)
        .then(now -> new Decision(now, tellTasks(now, reason)))
        .then(now -> conclude(now, event));
  }

  /** Tells every task that holds a container to end, and bounds how long that may take. */
  static List<Action> tellTasks(JobState state, String reason) {
    List<Action> actions = new ArrayList<>();
    Duration patience = state.job().limits().stopGrace().plus(JobMachine.STOP_MARGIN);
    actions.add(new SetTimer(Timer.STOPPING, patience));
    for (Task task : state.tasks()) {
      if (task.state().holdsContainer()) {
        actions.add(new StopTask(task.key(), reason));
      }
      if (task.state() == TaskState.LAUNCHING && !task.kept()) {
        // Its executor may not listen yet, and has no user's process.
        actions.add(new StopContainer(task.key()));
      }
    }
    return actions;
  }

  /** The task's process or container is gone, as it was told to be. */
  static Decision taskGone(JobState state, Event event, TaskKey key) {
    Task task = JobMachine.inContainer(state, key);
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state);
    }
    Task next = task.in(TaskState.STOPPED);
    JobEvent fact = Facts.task(state, event, JobEvent.Type.TASK_STOPPED, next).event();
    return Decision.of(state.with(next), new AppendEvent(fact)).then(now -> conclude(now, event));
  }

  /** Whatever has not ended by now is ended by YARN. */
  static Decision force(JobState state, Event event) {
    List<Task> holding =
        state.tasks().stream().filter(task -> task.state().holdsContainer()).toList();
    return Decision.forEach(
        state,
        holding,
        (now, task) ->
            Decision.of(now, new StopContainer(task.key()))
                .then(next -> taskGone(next, event, task.key())));
  }

  /** Ends the job when nothing of it holds a container any more. */
  static Decision conclude(JobState state, Event event) {
    if (state.phase() != Phase.STOPPING || state.tasks().holdingContainers() > 0) {
      return Decision.unchanged(state);
    }
    return Decision.of(
        state.finished(state.result()),
        new CancelTimer(Timer.STOPPING),
        new CancelTimer(Timer.APPLICATION),
        new AppendEvent(resultFact(state, event, JobEvent.Type.JOB_FINISHED, state.result())),
        new Finish(state.result()));
  }

  private static JobEvent resultFact(
      JobState state, Event event, JobEvent.Type type, JobResult result) {
    Facts fact = Facts.job(state, event, type);
    result.details().forEach(fact::with);
    return fact.event();
  }
}
