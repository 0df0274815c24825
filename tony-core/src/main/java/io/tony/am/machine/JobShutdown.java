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

/**
 * Takes a job down: orders its tasks to stop, waits for them, and stops their containers after a
 * timeout.
 */
final class JobShutdown {
  private JobShutdown() {}

  /** Ends the job with this result, unless it is already ending with an earlier result. */
  static void beginUnlessStopping(DecisionBuilder draft, JobResult result, String reason) {
    if (draft.state().phase() != Phase.STOPPING) {
      begin(draft, result, reason);
    }
  }

  /** Decides the result and orders every task to end. */
  static void begin(DecisionBuilder draft, JobResult result, String reason) {
    begin(draft, result, reason, false);
  }

  /**
   * Like {@link #begin(DecisionBuilder, JobResult, String)}; {@code dumpStacks} is true if the
   * programs must dump their stacks first.
   */
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

  /** Orders every task that holds a container to end, and sets the timer that limits the wait. */
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
        // The executor may not listen yet, and has not started the user's process.
        draft.emit(new StopContainer(task.key()));
      }
    }
  }

  /** Handles the end of a task's process or container during shutdown. */
  static void taskGone(DecisionBuilder draft, TaskKey key) {
    Task task = JobMachine.taskInContainer(draft.state(), key);
    if (task != null && task.state().holdsContainer()) {
      draft.record(new TaskFact.Stopped(task.id()));
      finishIfStopped(draft);
    }
  }

  /** Stops the containers that are left after the timeout. */
  static void stopContainers(DecisionBuilder draft) {
    for (Task task : draft.state().tasks()) {
      if (task.state().holdsContainer()) {
        draft.emit(new StopContainer(task.key()));
        taskGone(draft, task.key());
      }
    }
  }

  /** Finishes the job when no task holds a container. */
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
