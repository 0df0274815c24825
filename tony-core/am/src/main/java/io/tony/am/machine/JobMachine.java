package io.tony.am.machine;

import static io.tony.am.machine.Phase.FINISHED;
import static io.tony.am.machine.Phase.NEW;
import static io.tony.am.machine.Phase.STOPPING;
import static io.tony.am.machine.Transitions.ALIVE;

import io.tony.am.machine.Action.PublishAddress;
import io.tony.am.machine.Action.ShowTensorBoard;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.AmReady;
import io.tony.am.machine.Event.CheckpointReported;
import io.tony.am.machine.Event.ClusterChanged;
import io.tony.am.machine.Event.ContainerAllocated;
import io.tony.am.machine.Event.ContainerEnded;
import io.tony.am.machine.Event.HangReported;
import io.tony.am.machine.Event.HeartbeatTimedOut;
import io.tony.am.machine.Event.LogIncomplete;
import io.tony.am.machine.Event.PreemptionNotice;
import io.tony.am.machine.Event.PreflightFailed;
import io.tony.am.machine.Event.ResumePointChosen;
import io.tony.am.machine.Event.SchedulerFailed;
import io.tony.am.machine.Event.ShellClosed;
import io.tony.am.machine.Event.ShellRequested;
import io.tony.am.machine.Event.StopRequested;
import io.tony.am.machine.Event.TaskExited;
import io.tony.am.machine.Event.TaskHeld;
import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskRegistered;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TensorBoardListens;
import io.tony.am.machine.Event.TimerFired;
import io.tony.am.machine.Event.UnusedContainerEnded;
import io.tony.event.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a job does. A pure function from a state and an event to facts, actions and the next
 * state; the next state follows from the facts ({@link JobStateReducer}). The machine has no clock
 * (events contain their time), does no I/O and never blocks.
 *
 * <p>A gang runs as follows. Containers are requested by role, and an executor is launched in each
 * container that arrives. When every executor has reserved its port and registered, all programs
 * are started with the addresses of the complete cluster. When the tracked tasks have ended, or a
 * task has failed for good, the other tasks are stopped. The job is finished when no task holds a
 * container. After a failure, as few tasks are restarted as the failure kind and the retry budget
 * allow. This class maps each event to its handler; the handlers of the other classes in this
 * package decide.
 */
public final class JobMachine {
  /**
   * Time that an executor needs, in addition to its program's grace period, to end the program and
   * to report.
   */
  static final Duration STOP_MARGIN = Duration.ofSeconds(5);

  private static final String STALE_REPORT = "a report under way while the gang or the task ended";

  private static final Transitions TRANSITIONS =
      new Transitions()
          .on(AmReady.class, JobMachine::amReady, NEW)
          .on(AmReady.class, Recovery::takeOver, ALIVE)
          .on(AmReady.class, Recovery::takeOver, STOPPING)
          .ignore(AmReady.class, "a stop that comes before anything was asked for", FINISHED)
          .illegal(ContainerAllocated.class, NEW)
          .on(ContainerAllocated.class, GangStart::containerAllocated, ALIVE)
          // YARN may grant a request that was withdrawn a moment before. Such a container is given
          // back.
          .on(ContainerAllocated.class, GangStart::releaseSurplus, STOPPING, FINISHED)
          .illegal(ContainerEnded.class, NEW)
          .on(ContainerEnded.class, JobMachine::containerEnded, ALIVE)
          .on(ContainerEnded.class, JobMachine::endedWhileStopping, STOPPING)
          .ignore(ContainerEnded.class, "an executor ends after its last report", FINISHED)
          .illegal(UnusedContainerEnded.class, NEW)
          .on(UnusedContainerEnded.class, JobMachine::unusedContainerEnded, ALIVE)
          .ignore(UnusedContainerEnded.class, "it was given back already", STOPPING, FINISHED)
          .illegal(TaskRegistered.class, NEW)
          .on(TaskRegistered.class, GangStart::taskRegistered, ALIVE)
          .on(TaskRegistered.class, JobMachine::registeredTooLate, STOPPING, FINISHED)
          .onAlive(TaskStarted.class, ProgramReports::started, STALE_REPORT)
          .onAlive(TaskProgressed.class, ProgramReports::progressed, STALE_REPORT)
          .onAlive(TensorBoardListens.class, ProgramReports::tensorBoardListens, STALE_REPORT)
          .onAlive(TaskHeld.class, ProgramReports::programHeld, STALE_REPORT)
          .illegal(ShellRequested.class, NEW)
          .on(ShellRequested.class, ProgramReports::shellRequested, ALIVE)
          .on(ShellRequested.class, ProgramReports::shellRequestedTooLate, STOPPING, FINISHED)
          .illegal(ShellClosed.class, NEW)
          .on(ShellClosed.class, ProgramReports::shellClosed, ALIVE)
          .on(ShellClosed.class, ProgramReports::shellClosed, STOPPING)
          .ignore(ShellClosed.class, STALE_REPORT, FINISHED)
          .illegal(HangReported.class, NEW)
          .on(HangReported.class, HangReports::recordLocation, ALIVE)
          .on(HangReported.class, HangReports::recordLocation, STOPPING)
          .ignore(HangReported.class, STALE_REPORT, FINISHED)
          .illegal(PreemptionNotice.class, NEW)
          .on(PreemptionNotice.class, Preemption::announced, ALIVE)
          .ignore(PreemptionNotice.class, "its containers are given back", STOPPING, FINISHED)
          .illegal(CheckpointReported.class, NEW)
          .on(CheckpointReported.class, CheckpointTracker::checkpointReported, ALIVE)
          .on(CheckpointReported.class, CheckpointTracker::checkpointReported, STOPPING)
          .ignore(CheckpointReported.class, STALE_REPORT, FINISHED)
          .illegal(ResumePointChosen.class, NEW)
          .on(ResumePointChosen.class, CheckpointTracker::resumePointChosen, ALIVE)
          .ignore(ResumePointChosen.class, "its gang is stopped meanwhile", STOPPING, FINISHED)
          .illegal(TaskExited.class, NEW)
          .on(TaskExited.class, JobMachine::exited, ALIVE)
          .on(TaskExited.class, JobMachine::exitedWhileStopping, STOPPING)
          .ignore(TaskExited.class, STALE_REPORT, FINISHED)
          .illegal(PreflightFailed.class, NEW)
          .on(PreflightFailed.class, Preflight::failed, ALIVE)
          .on(PreflightFailed.class, JobMachine::preflightFailedWhileStopping, STOPPING)
          .ignore(PreflightFailed.class, STALE_REPORT, FINISHED)
          .illegal(HeartbeatTimedOut.class, NEW)
          .on(HeartbeatTimedOut.class, JobMachine::heartbeatTimedOut, ALIVE)
          .ignore(
              HeartbeatTimedOut.class,
              "the stop timer bounds how long a silent task is waited for",
              STOPPING)
          .ignore(HeartbeatTimedOut.class, STALE_REPORT, FINISHED)
          .on(StopRequested.class, JobMachine::stopRequested, NEW, STOPPING)
          .on(StopRequested.class, JobMachine::stopRequested, ALIVE)
          .ignore(StopRequested.class, "a stop that crosses the job's own end", FINISHED)
          .illegal(TimerFired.class, NEW)
          .on(TimerFired.class, Timeouts::fired, ALIVE)
          .on(TimerFired.class, Timeouts::firedWhileStopping, STOPPING)
          .ignore(
              TimerFired.class, "a timer that expires while its cancellation is decided", FINISHED)
          .illegal(ClusterChanged.class, NEW)
          .on(ClusterChanged.class, JobMachine::clusterChanged, ALIVE)
          .ignore(ClusterChanged.class, "nothing is asked for any more", STOPPING, FINISHED)
          .on(SchedulerFailed.class, JobMachine::schedulerFailed, NEW, STOPPING)
          .on(SchedulerFailed.class, JobMachine::schedulerFailed, ALIVE)
          .ignore(SchedulerFailed.class, "the outcome is decided already", FINISHED)
          .illegal(LogIncomplete.class, NEW)
          .on(LogIncomplete.class, JobMachine::logIncomplete, ALIVE)
          .ignore(LogIncomplete.class, "the outcome is decided already", STOPPING, FINISHED)
          .checkComplete();

  private JobMachine() {}

  /**
   * Returns the facts, actions and next state that follow from the event.
   *
   * @throws IllegalStateException if the event cannot occur in the state's phase
   */
  public static Decision handle(JobState state, Event event) {
    DecisionBuilder decision = new DecisionBuilder(state, event.at());
    TRANSITIONS.apply(decision, event);
    WaitLimits.updateTimers(decision, state, event);
    // Checked after every event: a restart, a loss or the end of the job may end the TensorBoard.
    String url = decision.state().tensorBoardUrl();
    if (!url.equals(state.tensorBoardUrl())) {
      decision.emit(new ShowTensorBoard(url));
    }
    return decision.build();
  }

  private static void amReady(DecisionBuilder decision, AmReady event) {
    JobState state = decision.state();
    decision.record(
        new JobFact.MasterStarted(
            event.attempt(), event.host(), state.tasks().size(), null, event.launchTimes()));
    decision.record(new JobFact.Described(event.description()));
    decision.emit(new PublishAddress());
    // These containers belong to an earlier ApplicationMaster that was lost before it recorded its
    // first event. No task of the job has them, so give them back.
    decision.emit(
        event.liveContainers().stream().sorted().map(Action.ReleaseContainer::new).toList());
    decision.emit(GangStart.timerUnlessZero(Timer.APPLICATION, state.job().limits().application()));
    GangStart.requestContainers(decision);
  }

  private static void clusterChanged(DecisionBuilder decision, ClusterChanged event) {
    decision.noteCluster(decision.state().clusterView().with(event));
    NodeAvoidance.reconsider(decision);
  }

  // ---- The end of a task ----

  private static void exited(DecisionBuilder decision, TaskExited event) {
    Task task = currentTask(decision.state(), event.key());
    Event.Exit exit = event.exit();
    if (task == null || !task.state().holdsContainer()) {
      RootCauseAnalysis.noteExit(decision, event.key(), exit);
      return;
    }
    if (task.state() == TaskState.LAUNCHING) {
      failTask(decision, task, TaskFailure.beforeRegistration(task), false);
      return;
    }
    if (PendingFailures.isPending(decision.state(), task)) {
      return; // The failure is recorded when its cause is reported or the wait for the cause ends.
    }
    HangReports.recordLocation(decision, task, exit);
    ProgramReports.recordLastProgress(decision, task, exit.progress());
    if (exit.code() == 0 && exit.executorMessage().isEmpty()) {
      decision.record(JobOutputs.succeeded(decision.state(), task, exit));
      TaskCompletion.handleSuccess(decision, task);
    } else {
      TaskFailure failure = Preemption.reclassify(decision, task, TaskFailure.of(task, exit), exit);
      if (!PendingFailures.deferIfSecondary(decision, task, failure)) {
        failTask(decision, task, failure, true);
        RootCauseAnalysis.noteRootCauseEnd(decision, event.key(), exit.endedAt());
      }
    }
  }

  private static void containerEnded(DecisionBuilder decision, ContainerEnded event) {
    Task task = taskInContainer(decision.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      RootCauseAnalysis.handleContainerLoss(decision, task, TaskFailure.of(task, event));
    }
    // Otherwise the task has already ended: its executor exited after it had reported the end of
    // its program.
  }

  /**
   * Handles the end of a container in which no executor had been launched. If the container is
   * assigned to a task, the task counts as lost with its container; a later failure to launch there
   * is then ignored, because this event has the details. Otherwise, if it is a spare container of
   * an elastic gang, removes it from the spares.
   */
  private static void unusedContainerEnded(DecisionBuilder decision, UnusedContainerEnded event) {
    List<TaskKey> taskKeys = decision.state().taskKeysIn(Set.of(event.container()));
    if (taskKeys.isEmpty()) {
      ElasticScaleUp.spareLost(decision, event);
    } else {
      containerEnded(
          decision,
          new ContainerEnded(event.at(), taskKeys.get(0), event.cause(), event.message()));
    }
  }

  private static void heartbeatTimedOut(DecisionBuilder decision, HeartbeatTimedOut event) {
    Task task = taskInContainer(decision.state(), event.key());
    // Stop the executor even if its task counts as lost: its program may still run, and must not
    // train beside the program that replaces it.
    decision.emit(new StopTask(event.key(), "silent"));
    decision.emit(new StopContainer(event.key()));
    if (task != null && task.state().holdsContainer()) {
      TaskFailure failure = TaskFailure.heartbeatTimedOut(task, decision.state().job().limits());
      RootCauseAnalysis.handleContainerLoss(decision, task, failure);
    }
  }

  static void failTask(
      DecisionBuilder decision, Task task, TaskFailure failure, boolean executorAlive) {
    decision.record(failure.toFact(decision.state(), task));
    TaskCompletion.handleFailure(decision, task, failure, executorAlive);
  }

  // ---- The end of the job ----

  private static void stopRequested(DecisionBuilder decision, StopRequested event) {
    decision.record(new JobFact.StopRequested(event.requester()));
    JobShutdown.beginUnlessStopping(
        decision, JobResult.killed("stopped by " + event.requester()), "the job is stopped");
  }

  private static void schedulerFailed(DecisionBuilder decision, SchedulerFailed event) {
    JobShutdown.beginUnlessStopping(
        decision, JobResult.failed(event.cause(), event.message()), event.message());
  }

  private static void logIncomplete(DecisionBuilder decision, LogIncomplete event) {
    logIncomplete(decision, event.detail());
  }

  /**
   * Ends the job, because events are missing in the event log and the state cannot be known.
   *
   * @param detail what is missing, for people
   */
  static void logIncomplete(DecisionBuilder decision, String detail) {
    String message =
        "the event log that a lost ApplicationMaster left is not complete: "
            + detail
            + ". The job cannot be continued. Start it again; it goes on from its last checkpoint";
    JobShutdown.beginUnlessStopping(
        decision, JobResult.failed(FailureKind.AM_LOST, message), message);
  }

  private static void exitedWhileStopping(DecisionBuilder decision, TaskExited event) {
    Task task = currentTask(decision.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      HangReports.recordLocation(decision, task, event.exit());
      ProgramReports.recordLastProgress(decision, task, event.exit().progress());
    }
    RootCauseAnalysis.noteExit(decision, event.key(), event.exit());
    JobShutdown.taskGone(decision, event.key());
  }

  private static void preflightFailedWhileStopping(
      DecisionBuilder decision, PreflightFailed event) {
    JobShutdown.taskGone(decision, event.key());
  }

  private static void endedWhileStopping(DecisionBuilder decision, ContainerEnded event) {
    RootCauseAnalysis.noteContainerLoss(decision, event);
    JobShutdown.taskGone(decision, event.key());
  }

  private static void registeredTooLate(DecisionBuilder decision, TaskRegistered event) {
    decision.emit(new StopTask(event.key(), "the job is stopping"));
  }

  // ---- Finding tasks ----

  /**
   * Returns the task that the key names, if it still has the key's attempt and container; null
   * otherwise.
   */
  static @Nullable Task currentTask(JobState state, TaskKey key) {
    Task task = taskInContainer(state, key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /**
   * Like {@link #currentTask}, but ignores the attempt number: for reports about a container or an
   * executor, which serve several attempts. In an elastic gang, a container may pass to another
   * task of the role; then returns the task that has the container now.
   */
  static @Nullable Task taskInContainer(JobState state, TaskKey key) {
    if (key.container().isEmpty()) {
      return null;
    }
    Task task = state.tasks().contains(key.task()) ? state.tasks().get(key.task()) : null;
    if (task != null && task.container().equals(key.container())) {
      return task;
    }
    // In an elastic gang the container may belong to another task of the role by now.
    return state.job().isElastic()
        ? state.tasks().taskInContainer(key.container(), key.task().role())
        : null;
  }
}
