package io.tony.am.machine;

import static io.tony.am.machine.Event.Kind.AM_READY;
import static io.tony.am.machine.Event.Kind.CLUSTER_CHANGED;
import static io.tony.am.machine.Event.Kind.CONTAINER_ALLOCATED;
import static io.tony.am.machine.Event.Kind.CONTAINER_ENDED;
import static io.tony.am.machine.Event.Kind.LOG_INCOMPLETE;
import static io.tony.am.machine.Event.Kind.SCHEDULER_FAILED;
import static io.tony.am.machine.Event.Kind.STOP_REQUESTED;
import static io.tony.am.machine.Event.Kind.TASK_EXITED;
import static io.tony.am.machine.Event.Kind.TASK_PROGRESSED;
import static io.tony.am.machine.Event.Kind.TASK_REGISTERED;
import static io.tony.am.machine.Event.Kind.TASK_SILENT;
import static io.tony.am.machine.Event.Kind.TASK_STARTED;
import static io.tony.am.machine.Event.Kind.TENSORBOARD_LISTENS;
import static io.tony.am.machine.Event.Kind.TIMER_FIRED;
import static io.tony.am.machine.Phase.ALLOCATING;
import static io.tony.am.machine.Phase.BACKING_OFF;
import static io.tony.am.machine.Phase.FINISHED;
import static io.tony.am.machine.Phase.NEW;
import static io.tony.am.machine.Phase.REGISTERING;
import static io.tony.am.machine.Phase.RUNNING;
import static io.tony.am.machine.Phase.STOPPING;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.ShowTensorBoard;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.AmReady;
import io.tony.am.machine.Event.ClusterChanged;
import io.tony.am.machine.Event.ContainerEnded;
import io.tony.am.machine.Event.LogIncomplete;
import io.tony.am.machine.Event.SchedulerFailed;
import io.tony.am.machine.Event.StopRequested;
import io.tony.am.machine.Event.TaskExited;
import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskRegistered;
import io.tony.am.machine.Event.TaskSilent;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TensorBoardListens;
import io.tony.am.machine.Event.TimerFired;
import io.tony.am.machine.JobState.Surroundings;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides what a job does: a pure function from a state and an event to the next state and the
 * actions to take. It knows no clock (events carry their instant), does no I/O and never waits.
 *
 * <p>The gang's life: containers are asked for by role and launched as they come; when every
 * executor holds its port, all of them are told to start with the complete cluster; when the
 * tracked tasks have ended, or one failed for good, the others are stopped; when none holds a
 * container any more the job finishes. What fails is started again as narrowly as its kind and its
 * budget allow. Here is which event is handled where; the classes beside this one decide.
 */
public final class JobMachine {
  /** Progress is recorded at most this often: the log is history, not a stream. */
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

  /** What an executor needs beyond its process's grace to end it and report. */
  static final Duration STOP_MARGIN = Duration.ofSeconds(5);

  private static final String STALE = "a report under way while the gang or the task ended";

  /** What tasks report is taken in all of these. */
  private static final Phase[] ALIVE = {ALLOCATING, BACKING_OFF, REGISTERING, RUNNING};

  private static final Transitions TRANSITIONS =
      new Transitions()
          .on(AM_READY, JobMachine::ready, NEW)
          .on(AM_READY, Recovery::takeOver, ALIVE)
          .on(AM_READY, Recovery::takeOver, STOPPING)
          .ignore(AM_READY, "a stop that comes before anything was asked for", FINISHED)
          .illegal(CONTAINER_ALLOCATED, NEW)
          .on(CONTAINER_ALLOCATED, Starting::allocated, ALIVE)
          // YARN may grant what was taken back a moment before.
          .on(CONTAINER_ALLOCATED, Starting::surplus, STOPPING, FINISHED)
          .illegal(CONTAINER_ENDED, NEW)
          .on(CONTAINER_ENDED, JobMachine::containerEnded, ALIVE)
          .on(CONTAINER_ENDED, JobMachine::endedWhileStopping, STOPPING)
          .ignore(CONTAINER_ENDED, "an executor ends after its last report", FINISHED)
          .illegal(TASK_REGISTERED, NEW)
          .on(TASK_REGISTERED, Starting::registered, ALIVE)
          .on(TASK_REGISTERED, JobMachine::registeredTooLate, STOPPING, FINISHED)
          .illegal(TASK_STARTED, NEW)
          .on(TASK_STARTED, JobMachine::started, ALIVE)
          .ignore(TASK_STARTED, STALE, STOPPING, FINISHED)
          .illegal(TASK_PROGRESSED, NEW)
          .on(TASK_PROGRESSED, JobMachine::progressed, ALIVE)
          .ignore(TASK_PROGRESSED, STALE, STOPPING, FINISHED)
          .illegal(TENSORBOARD_LISTENS, NEW)
          .on(TENSORBOARD_LISTENS, JobMachine::tensorBoardListens, ALIVE)
          .ignore(TENSORBOARD_LISTENS, STALE, STOPPING, FINISHED)
          .illegal(TASK_EXITED, NEW)
          .on(TASK_EXITED, JobMachine::exited, ALIVE)
          .on(TASK_EXITED, JobMachine::exitedWhileStopping, STOPPING)
          .ignore(TASK_EXITED, STALE, FINISHED)
          .illegal(TASK_SILENT, NEW)
          .on(TASK_SILENT, JobMachine::silent, ALIVE)
          .ignore(
              TASK_SILENT, "the stop timer bounds how long a silent task is waited for", STOPPING)
          .ignore(TASK_SILENT, STALE, FINISHED)
          .on(STOP_REQUESTED, JobMachine::stopRequested, NEW, STOPPING)
          .on(STOP_REQUESTED, JobMachine::stopRequested, ALIVE)
          .ignore(STOP_REQUESTED, "a stop that crosses the job's own end", FINISHED)
          .illegal(TIMER_FIRED, NEW)
          .on(TIMER_FIRED, JobMachine::timerFired, ALIVE)
          .on(TIMER_FIRED, JobMachine::timerFired, STOPPING)
          .ignore(TIMER_FIRED, "a timer that expires while its cancellation is decided", FINISHED)
          .illegal(CLUSTER_CHANGED, NEW)
          .on(CLUSTER_CHANGED, JobMachine::clusterChanged, ALIVE)
          .ignore(CLUSTER_CHANGED, "nothing is asked for any more", STOPPING, FINISHED)
          .on(SCHEDULER_FAILED, JobMachine::schedulerFailed, NEW, STOPPING)
          .on(SCHEDULER_FAILED, JobMachine::schedulerFailed, ALIVE)
          .ignore(SCHEDULER_FAILED, "the outcome is decided already", FINISHED)
          .illegal(LOG_INCOMPLETE, NEW)
          .on(LOG_INCOMPLETE, JobMachine::logIncomplete, ALIVE)
          .ignore(LOG_INCOMPLETE, "the outcome is decided already", STOPPING, FINISHED)
          .complete();

  private JobMachine() {}

  /**
   * What follows from the event.
   *
   * @throws IllegalStateException when the event cannot happen in the state's phase
   */
  public static Decision handle(JobState state, Event event) {
    Decision decision = TRANSITIONS.apply(state, event);
    // Whatever ends the program that listened: a restart, a loss, the end of the job.
    String url = decision.state().tensorBoardUrl();
    return url.equals(state.tensorBoardUrl())
        ? decision
        : decision.then(now -> Decision.of(now, new ShowTensorBoard(url)));
  }

  private static Decision ready(JobState state, AmReady event) {
    JobState next = state.startedAt(event.at());
    JobEvent started =
        Facts.job(next, event, JobEvent.Type.AM_STARTED)
            .with("attempt", event.attempt())
            .with("host", event.host())
            .with("tasks", next.tasks().size())
            .event();
    List<Action> actions = new ArrayList<>();
    actions.add(new AppendEvent(started));
    // Of a predecessor that was lost before its first line was written.
    event.alive().stream().sorted().map(Action.ReleaseContainer::new).forEach(actions::add);
    actions.addAll(Starting.timer(Timer.APPLICATION, next.job().limits().application()));
    return new Decision(next, actions).then(now -> Starting.request(now, event));
  }

  private static Decision clusterChanged(JobState state, ClusterChanged event) {
    Surroundings around = new Surroundings(event.free(), event.nodes(), state.around().avoided());
    return Avoidance.reconsider(state.with(around), event);
  }

  // ---- While it runs ----

  private static Decision started(JobState state, TaskStarted event) {
    Task task = current(state, event.key());
    if (task == null || !task.started()) {
      return Decision.unchanged(state);
    }
    return Decision.of(
        state,
        new AppendEvent(
            Facts.task(state, event, JobEvent.Type.TASK_STARTED, task)
                .with("pid", event.pid())
                .event()));
  }

  private static Decision progressed(JobState state, TaskProgressed event) {
    Task task = current(state, event.key());
    if (task == null
        || !task.id().equals(state.job().chief())
        || event.at().isBefore(state.progressAt().plus(PROGRESS_INTERVAL))) {
      return Decision.unchanged(state);
    }
    return Decision.of(
        state.progressAt(event.at()),
        new AppendEvent(
            Facts.task(state, event, JobEvent.Type.TASK_PROGRESS, task)
                .with("text", event.text())
                .event()));
  }

  private static Decision tensorBoardListens(JobState state, TensorBoardListens event) {
    Task task = current(state, event.key());
    boolean known = task != null && !task.tensorBoardUrl().isEmpty();
    if (task == null || !task.started() || task.tensorBoardPort() == 0 || known) {
      return Decision.unchanged(state);
    }
    String url = "http://" + task.endpoint().host() + ":" + task.tensorBoardPort();
    return Decision.of(
        state.with(task.showing(url)),
        new AppendEvent(
            Facts.task(state, event, JobEvent.Type.TENSORBOARD, task).with("url", url).event()));
  }

  // ---- The end of a task ----

  private static Decision exited(JobState state, TaskExited event) {
    Task task = current(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state);
    }
    if (task.state() == TaskState.LAUNCHING) {
      return failed(state, event, task, TaskFailure.beforeRegistration(task), false);
    }
    Event.Exit exit = event.exit();
    if (exit.code() == 0 && exit.executorMessage().isEmpty()) {
      Task next = task.in(TaskState.SUCCEEDED);
      JobEvent fact =
          Facts.task(state, event, JobEvent.Type.TASK_SUCCEEDED, next)
              .with("exitCode", 0)
              .withOutputs(exit.outputs())
              .event();
      return Decision.of(state.withSuccess(next, exit.outputs()), new AppendEvent(fact))
          .then(now -> Outcomes.afterSuccess(now, event, next));
    }
    return failed(state, event, task, TaskFailure.of(task, exit), true);
  }

  private static Decision containerEnded(JobState state, ContainerEnded event) {
    Task task = inContainer(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state); // the executor ended after its report
    }
    return failed(state, event, task, TaskFailure.of(task, event), false);
  }

  private static Decision silent(JobState state, TaskSilent event) {
    Task task = inContainer(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state);
    }
    // Should it live on, unheard: it is not to train beside its successor.
    return Decision.of(state, new StopTask(task.key(), "silent"), new StopContainer(task.key()))
        .then(
            now -> failed(now, event, task, TaskFailure.silent(task, state.job().limits()), false));
  }

  private static Decision failed(
      JobState state, Event event, Task task, TaskFailure failure, boolean healthy) {
    Task next = task.in(TaskState.FAILED);
    return Decision.of(state.with(next), new AppendEvent(failure.fact(state, event, next)))
        .then(now -> Outcomes.afterFailure(now, event, task, failure, healthy));
  }

  // ---- The end of the job ----

  private static Decision stopRequested(JobState state, StopRequested event) {
    JobEvent fact =
        Facts.job(state, event, JobEvent.Type.STOP_REQUESTED).with("who", event.who()).event();
    JobResult result = JobResult.killed("stopped by " + event.who());
    return Decision.of(state, new AppendEvent(fact))
        .then(now -> Stopping.end(now, event, result, "the job is stopped"));
  }

  private static Decision schedulerFailed(JobState state, SchedulerFailed event) {
    JobResult result = JobResult.failed(event.cause(), event.message());
    return Stopping.end(state, event, result, event.message());
  }

  private static Decision logIncomplete(JobState state, LogIncomplete event) {
    JobResult result =
        JobResult.failed(
            FailureKind.AM_LOST,
            "the event log that a lost ApplicationMaster left is not complete: "
                + event.what()
                + ". The job cannot be taken over; start it again, it goes on from its checkpoint");
    return Stopping.end(state, event, result, "the event log is not complete");
  }

  private static Decision exitedWhileStopping(JobState state, TaskExited event) {
    return Stopping.taskGone(state, event, event.key());
  }

  private static Decision endedWhileStopping(JobState state, ContainerEnded event) {
    return Stopping.taskGone(state, event, event.key());
  }

  private static Decision registeredTooLate(JobState state, TaskRegistered event) {
    return Decision.of(state, new StopTask(event.key(), "the job is stopping"));
  }

  private static Decision timerFired(JobState state, TimerFired event) {
    boolean stopping = state.phase() == STOPPING;
    return switch (event.timer().kind()) {
      case STOPPING -> stopping ? Stopping.force(state, event) : Decision.unchanged(state);
      case APPLICATION -> timedOut(state, event, Timeouts.application(state));
      case ALLOCATION ->
          state.lacksContainers()
              ? timedOut(state, event, Timeouts.allocation(state))
              : Decision.unchanged(state);
      case REGISTRATION ->
          !stopping && state.tasks().count(TaskState.LAUNCHING) > 0
              ? timedOut(state, event, Timeouts.registration(state))
              : Decision.unchanged(state);
      case NOTICE -> stopping ? Decision.unchanged(state) : Shortage.notice(state, event);
      case HOLD -> stopping ? Decision.unchanged(state) : BackingOff.holdPassed(state, event);
      case BACK_OFF ->
          state.phase() == BACKING_OFF ? BackingOff.over(state, event) : Decision.unchanged(state);
      case GROUP ->
          stopping
              ? Decision.unchanged(state)
              : Outcomes.groupTimedOut(state, event, event.timer().index());
    };
  }

  private static Decision timedOut(JobState state, Event event, String message) {
    JobResult result = JobResult.failed(FailureKind.TIMEOUT, message);
    return Stopping.end(state, event, result, message);
  }

  // ---- Who is meant ----

  /** The task that the key names, when it is still in that attempt and container; else null. */
  static Task current(JobState state, TaskKey key) {
    Task task = inContainer(state, key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /** The same, whichever attempt it is: containers and executors outlive attempts. */
  static Task inContainer(JobState state, TaskKey key) {
    if (key.container().isEmpty() || !state.tasks().contains(key.task())) {
      return null;
    }
    Task task = state.tasks().get(key.task());
    return task.container().equals(key.container()) ? task : null;
  }
}
