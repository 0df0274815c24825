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
 * Ends a job: orders its tasks to stop, waits for them, and stops their containers after a time
 * limit.
 */
final class JobShutdown {
  private JobShutdown() {}

  /**
   * Ends the job with this result, unless the job is already ending.
   *
   * @param reason why the tasks are stopped, for people
   */
  static void beginUnlessStopping(DecisionBuilder decision, JobResult result, String reason) {
    if (decision.state().phase() != Phase.STOPPING) {
      begin(decision, result, reason);
    }
  }

  /**
   * Records the job's result and orders every task to end.
   *
   * @param reason why the tasks are stopped, for people
   */
  static void begin(DecisionBuilder decision, JobResult result, String reason) {
    begin(decision, result, reason, false);
  }

  /**
   * Like {@link #begin(DecisionBuilder, JobResult, String)}; with {@code dumpStacks}, the programs
   * must dump their stacks before they end.
   */
  static void begin(DecisionBuilder decision, JobResult result, String reason, boolean dumpStacks) {
    JobState before = decision.state();
    RootCauseAnalysis.conclude(decision);
    decision.record(new JobFact.Stopping(result));
    for (Timer timer :
        List.of(
            Timer.ALLOCATION,
            Timer.NOTICE,
            Timer.PARTIAL_ALLOCATION,
            Timer.ELASTIC,
            Timer.GROWTH,
            Timer.BACK_OFF,
            Timer.REGISTRATION)) {
      decision.emit(new CancelTimer(timer));
    }
    TaskCompletion.cancelGroupTimers(decision);
    ElasticScaleUp.releaseSpares(decision);
    for (RoleSpec role : before.job().roles()) {
      int pending = before.tasks().count(role.name(), TaskState.REQUESTED);
      if (pending > 0) {
        decision.emit(new CancelRequests(role, pending));
      }
    }
    stopTasks(decision, reason, dumpStacks);
    PendingFailures.recordStopped(decision, before);
    finishIfStopped(decision);
  }

  /**
   * Orders the executor in every container of the job to end, and sets the timer that limits the
   * wait for them.
   */
  static void stopTasks(DecisionBuilder decision, String reason, boolean dumpStacks) {
    JobState state = decision.state();
    Duration maxWait = state.job().limits().stopGrace().plus(JobMachine.STOP_MARGIN);
    decision.emit(
        new SetTimer(
            Timer.STOPPING, dumpStacks ? maxWait.plus(JobLimits.STACK_DUMP_TIMEOUT) : maxWait));
    for (Task task : state.tasks()) {
      if (task.state().holdsContainer()) {
        decision.emit(new StopTask(task.key(), reason, dumpStacks));
      }
      if (task.state() == TaskState.LAUNCHING && !task.inSameContainer()) {
        // An executor that has not registered may take no orders yet, and has started no program:
        // stop its container.
        decision.emit(new StopContainer(task.key()));
      }
    }
  }

  /**
   * Records during shutdown that a task's program or container has ended. Finishes the job if no
   * other task holds a container.
   */
  static void taskGone(DecisionBuilder decision, TaskKey key) {
    Task task = JobMachine.taskInContainer(decision.state(), key);
    if (task != null && task.state().holdsContainer()) {
      decision.record(new TaskFact.Stopped(task.id()));
      finishIfStopped(decision);
    }
  }

  /**
   * Stops the containers that tasks still hold after the time limit, and records that these tasks
   * have stopped.
   */
  static void stopContainers(DecisionBuilder decision) {
    for (Task task : decision.state().tasks()) {
      if (task.state().holdsContainer()) {
        decision.emit(new StopContainer(task.key()));
        taskGone(decision, task.key());
      }
    }
  }

  /** Finishes the job if no task holds a container. */
  static void finishIfStopped(DecisionBuilder decision) {
    JobState state = decision.state();
    if (state.phase() != Phase.STOPPING || state.tasks().containerCount() > 0) {
      return;
    }
    decision.emit(new CancelTimer(Timer.STOPPING));
    decision.emit(new CancelTimer(Timer.APPLICATION));
    RootCauseAnalysis.conclude(decision);
    JobResult result = HangReports.resultWithHang(decision.state());
    decision.record(new JobFact.Finished(result));
    decision.emit(new Finish(result));
  }
}
