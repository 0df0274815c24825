package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.Finish;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.fact.JobFact;
import io.tony.fact.TaskFact;
import io.tony.model.JobLimits;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;

/** How a job is taken down: told to stop, waited for, and forced when it does not. */
final class Stopping {
  private Stopping() {}

  /** The job is to end with this result; where it is ending already, an earlier result stands. */
  static void end(Draft draft, JobResult result, String reason) {
    if (draft.state().phase() != Phase.STOPPING) {
      begin(draft, result, reason);
    }
  }

  /** Decides the result and tells every task to end. */
  static void begin(Draft draft, JobResult result, String reason) {
    begin(draft, result, reason, false);
  }

  /** The same; {@code stacks} is whether the tasks are to tell where they stand. */
  static void begin(Draft draft, JobResult result, String reason, boolean stacks) {
    JobState before = draft.state();
    FirstCauses.conclude(draft);
    draft.record(new JobFact.Stopping(result));
    for (Timer timer :
        List.of(
            Timer.ALLOCATION,
            Timer.NOTICE,
            Timer.HOLD,
            Timer.ELASTIC,
            Timer.GROWTH,
            Timer.BACK_OFF,
            Timer.REGISTRATION)) {
      draft.act(new CancelTimer(timer));
    }
    Outcomes.cancelGroupTimers(draft);
    Growing.giveBack(draft);
    for (RoleSpec role : before.job().roles()) {
      int pending = before.tasks().count(role.name(), TaskState.REQUESTED);
      if (pending > 0) {
        draft.act(new CancelRequests(role, pending));
      }
    }
    tellTasks(draft, reason, stacks);
    PendingFailures.stop(draft, before);
    conclude(draft);
  }

  /** Tells every task that holds a container to end, and bounds how long that may take. */
  static void tellTasks(Draft draft, String reason, boolean stacks) {
    JobState state = draft.state();
    Duration patience = state.job().limits().stopGrace().plus(JobMachine.STOP_MARGIN);
    draft.act(new SetTimer(Timer.STOPPING, stacks ? patience.plus(JobLimits.STACKS) : patience));
    for (Task task : state.tasks()) {
      if (task.state().holdsContainer()) {
        draft.act(new StopTask(task.key(), reason, stacks));
      }
      if (task.state() == TaskState.LAUNCHING && !task.kept()) {
        // Its executor may not listen yet, and has no user's process.
        draft.act(new StopContainer(task.key()));
      }
    }
  }

  /** The task's process or container is gone, as it was told to be. */
  static void taskGone(Draft draft, TaskKey key) {
    Task task = JobMachine.inContainer(draft.state(), key);
    if (task != null && task.state().holdsContainer()) {
      draft.record(new TaskFact.Stopped(task.id()));
      conclude(draft);
    }
  }

  /** Whatever has not ended by now is ended by YARN. */
  static void force(Draft draft) {
    for (Task task : draft.state().tasks()) {
      if (task.state().holdsContainer()) {
        draft.act(new StopContainer(task.key()));
        taskGone(draft, task.key());
      }
    }
  }

  /** Ends the job when nothing of it holds a container any more. */
  static void conclude(Draft draft) {
    JobState state = draft.state();
    if (state.phase() != Phase.STOPPING || state.tasks().holdingContainers() > 0) {
      return;
    }
    draft.act(new CancelTimer(Timer.STOPPING));
    draft.act(new CancelTimer(Timer.APPLICATION));
    FirstCauses.conclude(draft);
    JobResult result = Standing.in(draft.state());
    draft.record(new JobFact.Finished(result));
    draft.act(new Finish(result));
  }
}
