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
import io.tony.am.machine.Event.CheckpointChosen;
import io.tony.am.machine.Event.CheckpointTold;
import io.tony.am.machine.Event.ClusterChanged;
import io.tony.am.machine.Event.ContainerAllocated;
import io.tony.am.machine.Event.ContainerEnded;
import io.tony.am.machine.Event.ContainerGone;
import io.tony.am.machine.Event.LogIncomplete;
import io.tony.am.machine.Event.PreemptionAnnounced;
import io.tony.am.machine.Event.PreflightFailed;
import io.tony.am.machine.Event.SchedulerFailed;
import io.tony.am.machine.Event.ShellLeft;
import io.tony.am.machine.Event.ShellWanted;
import io.tony.am.machine.Event.StopRequested;
import io.tony.am.machine.Event.TaskExited;
import io.tony.am.machine.Event.TaskHeld;
import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskRegistered;
import io.tony.am.machine.Event.TaskSilent;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TaskStood;
import io.tony.am.machine.Event.TensorBoardListens;
import io.tony.am.machine.Event.TimerFired;
import io.tony.fact.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Decides what a job does: a pure function from a state and an event to the facts that follow and
 * the actions to take. The next state is what {@link Fold} makes of the facts. It knows no clock
 * (events carry their instant), does no I/O and never waits.
 *
 * <p>The gang's life: containers are asked for by role and launched as they come; when every
 * executor holds its port, all of them are told to start with the complete cluster; when the
 * tracked tasks have ended, or one failed for good, the others are stopped; when none holds a
 * container any more the job finishes. What fails is started again as narrowly as its kind and its
 * budget allow. Here is which event is handled where; the classes beside this one decide.
 */
public final class JobMachine {
  /** What an executor needs beyond its process's grace to end it and report. */
  static final Duration STOP_MARGIN = Duration.ofSeconds(5);

  private static final String STALE = "a report under way while the gang or the task ended";

  private static final Transitions TRANSITIONS =
      new Transitions()
          .on(AmReady.class, JobMachine::ready, NEW)
          .on(AmReady.class, Recovery::takeOver, ALIVE)
          .on(AmReady.class, Recovery::takeOver, STOPPING)
          .ignore(AmReady.class, "a stop that comes before anything was asked for", FINISHED)
          .illegal(ContainerAllocated.class, NEW)
          .on(ContainerAllocated.class, Starting::allocated, ALIVE)
          // YARN may grant what was taken back a moment before.
          .on(ContainerAllocated.class, Starting::surplus, STOPPING, FINISHED)
          .illegal(ContainerEnded.class, NEW)
          .on(ContainerEnded.class, JobMachine::containerEnded, ALIVE)
          .on(ContainerEnded.class, JobMachine::endedWhileStopping, STOPPING)
          .ignore(ContainerEnded.class, "an executor ends after its last report", FINISHED)
          .illegal(ContainerGone.class, NEW)
          .on(ContainerGone.class, JobMachine::containerGone, ALIVE)
          .ignore(ContainerGone.class, "it was given back already", STOPPING, FINISHED)
          .illegal(TaskRegistered.class, NEW)
          .on(TaskRegistered.class, Starting::registered, ALIVE)
          .on(TaskRegistered.class, JobMachine::registeredTooLate, STOPPING, FINISHED)
          .onlyAlive(TaskStarted.class, ProgramReports::started, STALE)
          .onlyAlive(TaskProgressed.class, ProgramReports::progressed, STALE)
          .onlyAlive(TensorBoardListens.class, ProgramReports::tensorBoardListens, STALE)
          .onlyAlive(TaskHeld.class, ProgramReports::held, STALE)
          .illegal(ShellWanted.class, NEW)
          .on(ShellWanted.class, ProgramReports::shellWanted, ALIVE)
          .on(ShellWanted.class, ProgramReports::shellWantedTooLate, STOPPING, FINISHED)
          .illegal(ShellLeft.class, NEW)
          .on(ShellLeft.class, ProgramReports::shellLeft, ALIVE)
          .on(ShellLeft.class, ProgramReports::shellLeft, STOPPING)
          .ignore(ShellLeft.class, STALE, FINISHED)
          .illegal(TaskStood.class, NEW)
          .on(TaskStood.class, Standing::told, ALIVE)
          .on(TaskStood.class, Standing::told, STOPPING)
          .ignore(TaskStood.class, STALE, FINISHED)
          .illegal(PreemptionAnnounced.class, NEW)
          .on(PreemptionAnnounced.class, Preemption::announced, ALIVE)
          .ignore(PreemptionAnnounced.class, "its containers are given back", STOPPING, FINISHED)
          .illegal(CheckpointTold.class, NEW)
          .on(CheckpointTold.class, Keeping::told, ALIVE)
          .on(CheckpointTold.class, Keeping::told, STOPPING)
          .ignore(CheckpointTold.class, STALE, FINISHED)
          .illegal(CheckpointChosen.class, NEW)
          .on(CheckpointChosen.class, Keeping::chosen, ALIVE)
          .ignore(CheckpointChosen.class, "its gang is stopped meanwhile", STOPPING, FINISHED)
          .illegal(TaskExited.class, NEW)
          .on(TaskExited.class, JobMachine::exited, ALIVE)
          .on(TaskExited.class, JobMachine::exitedWhileStopping, STOPPING)
          .ignore(TaskExited.class, STALE, FINISHED)
          .illegal(PreflightFailed.class, NEW)
          .on(PreflightFailed.class, Preflight::failed, ALIVE)
          .on(PreflightFailed.class, JobMachine::unfitWhileStopping, STOPPING)
          .ignore(PreflightFailed.class, STALE, FINISHED)
          .illegal(TaskSilent.class, NEW)
          .on(TaskSilent.class, JobMachine::silent, ALIVE)
          .ignore(
              TaskSilent.class,
              "the stop timer bounds how long a silent task is waited for",
              STOPPING)
          .ignore(TaskSilent.class, STALE, FINISHED)
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
          .complete();

  private JobMachine() {}

  /**
   * What follows from the event.
   *
   * @throws IllegalStateException when the event cannot happen in the state's phase
   */
  public static Decision handle(JobState state, Event event) {
    Draft draft = new Draft(state, event.at());
    TRANSITIONS.apply(draft, event);
    WaitLimits.follow(draft, state, event);
    // Whatever ends the program that listened: a restart, a loss, the end of the job.
    String url = draft.state().tensorBoardUrl();
    if (!url.equals(state.tensorBoardUrl())) {
      draft.act(new ShowTensorBoard(url));
    }
    return draft.decision();
  }

  private static void ready(Draft draft, AmReady event) {
    JobState state = draft.state();
    draft.record(
        new JobFact.MasterStarted(
            event.attempt(), event.host(), state.tasks().size(), null, event.origin()));
    draft.record(new JobFact.Described(event.description()));
    draft.act(new PublishAddress());
    // Of a predecessor that was lost before its first line was written.
    draft.act(event.alive().stream().sorted().map(Action.ReleaseContainer::new).toList());
    draft.act(Starting.timer(Timer.APPLICATION, state.job().limits().application()));
    Starting.request(draft);
  }

  private static void clusterChanged(Draft draft, ClusterChanged event) {
    draft.see(draft.state().clusterView().with(event));
    Avoidance.reconsider(draft);
  }

  // ---- The end of a task ----

  private static void exited(Draft draft, TaskExited event) {
    Task task = current(draft.state(), event.key());
    Event.Exit exit = event.exit();
    if (task == null || !task.state().holdsContainer()) {
      FirstCauses.exited(draft, event.key(), exit);
      return;
    }
    if (task.state() == TaskState.LAUNCHING) {
      failed(draft, task, TaskFailure.beforeRegistration(task), false);
      return;
    }
    if (PendingFailures.isPending(draft.state(), task)) {
      return; // it is told again
    }
    Standing.told(draft, task, exit);
    ProgramReports.lastProgress(draft, task, exit.progress());
    if (exit.code() == 0 && exit.executorMessage().isEmpty()) {
      draft.record(JobOutputs.succeeded(draft.state(), task, exit));
      Outcomes.afterSuccess(draft, task);
    } else {
      TaskFailure failure = Preemption.judged(draft, task, TaskFailure.of(task, exit), exit);
      if (!PendingFailures.await(draft, task, failure)) {
        failed(draft, task, failure, true);
        FirstCauses.ended(draft, event.key(), exit.ended());
      }
    }
  }

  private static void containerEnded(Draft draft, ContainerEnded event) {
    Task task = inContainer(draft.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      FirstCauses.lost(draft, task, TaskFailure.of(task, event));
    }
    // Else the executor ended after its report.
  }

  /** What cannot be launched in it ends as well, and says less. */
  private static void containerGone(Draft draft, ContainerGone event) {
    List<TaskKey> held = draft.state().heldIn(Set.of(event.container()));
    if (held.isEmpty()) {
      Growing.gone(draft, event);
    } else {
      containerEnded(
          draft, new ContainerEnded(event.at(), held.get(0), event.cause(), event.message()));
    }
  }

  private static void silent(Draft draft, TaskSilent event) {
    Task task = inContainer(draft.state(), event.key());
    // Should it live on, unheard: it is not to train beside its successor.
    draft.act(new StopTask(event.key(), "silent"));
    draft.act(new StopContainer(event.key()));
    if (task != null && task.state().holdsContainer()) {
      TaskFailure failure = TaskFailure.silent(task, draft.state().job().limits());
      FirstCauses.lost(draft, task, failure);
    }
  }

  static void failed(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    draft.record(failure.fact(draft.state(), task));
    Outcomes.afterFailure(draft, task, failure, healthy);
  }

  // ---- The end of the job ----

  private static void stopRequested(Draft draft, StopRequested event) {
    draft.record(new JobFact.StopRequested(event.who()));
    Stopping.end(draft, JobResult.killed("stopped by " + event.who()), "the job is stopped");
  }

  private static void schedulerFailed(Draft draft, SchedulerFailed event) {
    Stopping.end(draft, JobResult.failed(event.cause(), event.message()), event.message());
  }

  private static void logIncomplete(Draft draft, LogIncomplete event) {
    logIncomplete(draft, event.what());
  }

  /** A job of which a part is not known any more must not be guessed at. */
  static void logIncomplete(Draft draft, String what) {
    String message =
        "the event log that a lost ApplicationMaster left is not complete: "
            + what
            + ". The job cannot be continued. Start it again; it goes on from its last checkpoint";
    Stopping.end(draft, JobResult.failed(FailureKind.AM_LOST, message), message);
  }

  private static void exitedWhileStopping(Draft draft, TaskExited event) {
    Task task = current(draft.state(), event.key());
    if (task != null && task.state().holdsContainer()) {
      Standing.told(draft, task, event.exit());
      ProgramReports.lastProgress(draft, task, event.exit().progress());
    }
    FirstCauses.exited(draft, event.key(), event.exit());
    Stopping.taskGone(draft, event.key());
  }

  private static void unfitWhileStopping(Draft draft, PreflightFailed event) {
    Stopping.taskGone(draft, event.key());
  }

  private static void endedWhileStopping(Draft draft, ContainerEnded event) {
    FirstCauses.lost(draft, event);
    Stopping.taskGone(draft, event.key());
  }

  private static void registeredTooLate(Draft draft, TaskRegistered event) {
    draft.act(new StopTask(event.key(), "the job is stopping"));
  }

  // ---- Who is meant ----

  /** The task that the key names, when it is still in that attempt and container; else null. */
  static Task current(JobState state, TaskKey key) {
    Task task = inContainer(state, key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /** The same, whichever attempt it is: containers and executors outlive attempts. */
  static Task inContainer(JobState state, TaskKey key) {
    if (key.container().isEmpty()) {
      return null;
    }
    Task task = state.tasks().contains(key.task()) ? state.tasks().get(key.task()) : null;
    if (task != null && task.container().equals(key.container())) {
      return task;
    }
    // It may be another task's since.
    return state.job().isElastic() ? state.tasks().in(key.container(), key.task().role()) : null;
  }
}
