package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.Finish;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.model.JobLimits;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;

/** How a job is taken down: told to stop, waited for, and forced when it does not. */
final class JobShutdown {
  private JobShutdown() {}

  /** The job is to end with this result; where it is ending already, an earlier result stands. */
  static void beginUnlessStopping(DecisionBuilder draft, JobResult result, String reason) {
    if (draft.state().phase() != Phase.STOPPING) {
      begin(draft, result, reason);
    }
  }

  /** Decides the result and tells every task to end. */
  static void begin(DecisionBuilder draft, JobResult result, String reason) {
    begin(draft, result, reason, false);
  }

  /** The same; {@code stacks} is whether the tasks are to tell where they stand. */
  static void begin(DecisionBuilder draft, JobResult result, String reason, boolean dumpStacks) {
    JobState before = draft.state();
    RootCauseAnalysis.conclude(draft);
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
      draft.emit(new CancelTimer(timer));
    }
    TaskCompletion.cancelGroupTimers(draft);
    ElasticScaleUp.releaseSpares(draft);
    for (RoleSpec role : before.job().roles()) {
      int pending = before.tasks().count(role.name(), TaskState.REQUESTED);
      if (pending > 0) {
        draft.emit(new CancelRequests(role, pending));
      }
    }
    stopTasks(draft, reason, dumpStacks);
    PendingFailures.stopTasks(draft, before);
    finishIfStopped(draft);
  }

  /** Tells every task that holds a container to end, and bounds how long that may take. */
  static void stopTasks(DecisionBuilder draft, String reason, boolean dumpStacks) {
    JobState state = draft.state();
    Duration maxWait = state.job().limits().stopGrace().plus(JobMachine.STOP_MARGIN);
    draft.emit(
        new SetTimer(
            Timer.STOPPING, dumpStacks ? maxWait.plus(JobLimits.STACK_DUMP_TIMEOUT) : maxWait));
    for (Task task : state.tasks()) {
      if (task.state().holdsContainer()) {
        draft.emit(new StopTask(task.key(), reason, dumpStacks));
      }
      if (task.state() == TaskState.LAUNCHING && !task.inSameContainer()) {
        // Its executor may not listen yet, and has no user's process.
        draft.emit(new StopContainer(task.key()));
      }
    }
  }

  /** The task's process or container is gone, as it was told to be. */
  static void taskGone(DecisionBuilder draft, TaskKey key) {
    Task task = JobMachine.taskInContainer(draft.state(), key);
    if (task != null && task.state().holdsContainer()) {
      draft.record(new TaskFact.Stopped(task.id()));
      finishIfStopped(draft);
    }
  }

  /** Whatever has not ended by now is ended by YARN. */
  static void stopContainers(DecisionBuilder draft) {
    for (Task task : draft.state().tasks()) {
      if (task.state().holdsContainer()) {
        draft.emit(new StopContainer(task.key()));
        taskGone(draft, task.key());
      }
    }
  }

  /** Ends the job when nothing of it holds a container any more. */
  static void finishIfStopped(DecisionBuilder draft) {
    JobState state = draft.state();
    if (state.phase() != Phase.STOPPING || state.tasks().containerCount() > 0) {
      return;
    }
    draft.emit(new CancelTimer(Timer.STOPPING));
    draft.emit(new CancelTimer(Timer.APPLICATION));
    RootCauseAnalysis.conclude(draft);
    JobResult result = HangReports.resultWithHang(draft.state());
    draft.record(new JobFact.Finished(result));
    draft.emit(new Finish(result));
  }
}
