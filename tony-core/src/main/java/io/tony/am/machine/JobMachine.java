package io.tony.am.machine;

import static io.tony.am.machine.Event.Kind.AM_READY;
import static io.tony.am.machine.Event.Kind.CLUSTER_CHANGED;
import static io.tony.am.machine.Event.Kind.CONTAINER_ALLOCATED;
import static io.tony.am.machine.Event.Kind.CONTAINER_ENDED;
import static io.tony.am.machine.Event.Kind.SCHEDULER_FAILED;
import static io.tony.am.machine.Event.Kind.STOP_REQUESTED;
import static io.tony.am.machine.Event.Kind.TASK_EXITED;
import static io.tony.am.machine.Event.Kind.TASK_PROGRESSED;
import static io.tony.am.machine.Event.Kind.TASK_REGISTERED;
import static io.tony.am.machine.Event.Kind.TASK_SILENT;
import static io.tony.am.machine.Event.Kind.TASK_STARTED;
import static io.tony.am.machine.Event.Kind.TIMER_FIRED;
import static io.tony.am.machine.Phase.ALLOCATING;
import static io.tony.am.machine.Phase.FINISHED;
import static io.tony.am.machine.Phase.NEW;
import static io.tony.am.machine.Phase.REGISTERING;
import static io.tony.am.machine.Phase.RUNNING;
import static io.tony.am.machine.Phase.STOPPING;

import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.LaunchExecutor;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.AmReady;
import io.tony.am.machine.Event.ContainerAllocated;
import io.tony.am.machine.Event.ContainerEnded;
import io.tony.am.machine.Event.SchedulerFailed;
import io.tony.am.machine.Event.StopRequested;
import io.tony.am.machine.Event.TaskExited;
import io.tony.am.machine.Event.TaskProgressed;
import io.tony.am.machine.Event.TaskRegistered;
import io.tony.am.machine.Event.TaskSilent;
import io.tony.am.machine.Event.TaskStarted;
import io.tony.am.machine.Event.TimerFired;
import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides what a job does: a pure function from a state and an event to the next state and the
 * actions to take. It knows no clock (events carry their instant), does no I/O and never waits.
 *
 * <p>The gang's life: containers are asked for by role and launched as they come; when every
 * executor holds its port, all of them are told to start with the complete cluster; when the
 * tracked tasks have ended, or one failed, the others are stopped; when none holds a container any
 * more the job finishes, or the gang is asked for again while its budget of retries lasts.
 */
public final class JobMachine {
  /** Progress is recorded at most this often: the log is history, not a stream. */
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

  /** What an executor needs beyond its process's grace to end it and report. */
  static final Duration STOP_MARGIN = Duration.ofSeconds(5);

  private static final String STALE = "a report under way while the gang or the task ended";

  private static final Transitions TRANSITIONS =
      new Transitions()
          .on(AM_READY, JobMachine::ready, NEW)
          .illegal(AM_READY, ALLOCATING, REGISTERING, RUNNING, STOPPING)
          .ignore(AM_READY, "a stop that comes before anything was asked for", FINISHED)
          .illegal(CONTAINER_ALLOCATED, NEW)
          .on(CONTAINER_ALLOCATED, JobMachine::allocated, ALLOCATING)
          // YARN may grant what was taken back a moment before, or more than was asked for.
          .on(CONTAINER_ALLOCATED, JobMachine::surplus, REGISTERING, RUNNING, STOPPING, FINISHED)
          .illegal(CONTAINER_ENDED, NEW)
          .on(CONTAINER_ENDED, JobMachine::containerEnded, ALLOCATING, REGISTERING, RUNNING)
          .on(CONTAINER_ENDED, JobMachine::endedWhileStopping, STOPPING)
          .ignore(CONTAINER_ENDED, "an executor ends after its last report", FINISHED)
          .illegal(TASK_REGISTERED, NEW)
          .on(TASK_REGISTERED, JobMachine::registered, ALLOCATING, REGISTERING, RUNNING)
          .on(TASK_REGISTERED, JobMachine::registeredTooLate, STOPPING)
          .ignore(TASK_REGISTERED, STALE, FINISHED)
          .illegal(TASK_STARTED, NEW)
          .on(TASK_STARTED, JobMachine::started, ALLOCATING, REGISTERING, RUNNING)
          .ignore(TASK_STARTED, STALE, STOPPING, FINISHED)
          .illegal(TASK_PROGRESSED, NEW)
          .on(TASK_PROGRESSED, JobMachine::progressed, ALLOCATING, REGISTERING, RUNNING)
          .ignore(TASK_PROGRESSED, STALE, STOPPING, FINISHED)
          .illegal(TASK_EXITED, NEW)
          .on(TASK_EXITED, JobMachine::exited, ALLOCATING, REGISTERING, RUNNING)
          .on(TASK_EXITED, JobMachine::exitedWhileStopping, STOPPING)
          .ignore(TASK_EXITED, STALE, FINISHED)
          .illegal(TASK_SILENT, NEW)
          .on(TASK_SILENT, JobMachine::silent, ALLOCATING, REGISTERING, RUNNING)
          .ignore(
              TASK_SILENT, "the stop timer bounds how long a silent task is waited for", STOPPING)
          .ignore(TASK_SILENT, STALE, FINISHED)
          .on(
              STOP_REQUESTED,
              JobMachine::stopRequested,
              NEW,
              ALLOCATING,
              REGISTERING,
              RUNNING,
              STOPPING)
          .ignore(STOP_REQUESTED, "a stop that crosses the job's own end", FINISHED)
          .illegal(TIMER_FIRED, NEW)
          .on(TIMER_FIRED, JobMachine::timerFired, ALLOCATING, REGISTERING, RUNNING, STOPPING)
          .ignore(TIMER_FIRED, "a timer that expires while its cancellation is decided", FINISHED)
          .ignore(CLUSTER_CHANGED, "it is told for messages only", Phase.values())
          .on(
              SCHEDULER_FAILED,
              JobMachine::schedulerFailed,
              NEW,
              ALLOCATING,
              REGISTERING,
              RUNNING,
              STOPPING)
          .ignore(SCHEDULER_FAILED, "the outcome is decided already", FINISHED)
          .complete();

  private JobMachine() {}

  /**
   * What follows from the event.
   *
   * @throws IllegalStateException when the event cannot happen in the state's phase
   */
  public static Decision handle(JobState state, Event event) {
    return TRANSITIONS.apply(state, event);
  }

  // ---- Start ----

  private static Decision ready(JobState state, AmReady event) {
    JobEvent started =
        Facts.job(state, event, JobEvent.Type.AM_STARTED)
            .with("attempt", event.attempt())
            .with("host", event.host())
            .with("tasks", state.tasks().size())
            .event();
    List<Action> actions = new ArrayList<>();
    actions.add(new Action.AppendEvent(started));
    actions.addAll(timer(Timer.APPLICATION, state.job().limits().application()));
    return new Decision(state, actions).then(next -> requestGang(next, event, 0));
  }

  private static Decision requestGang(JobState state, Event event, int session) {
    JobState next = state.newGang(session);
    List<Action> actions = new ArrayList<>();
    StringBuilder resources = new StringBuilder();
    for (RoleSpec role : next.job().roles()) {
      resources.append(resources.isEmpty() ? "" : "; ");
      resources.append(role.instances()).append(" × ").append(role.name());
      resources.append(" (").append(role.resource()).append(')');
    }
    actions.add(
        new Action.AppendEvent(
            Facts.job(next, event, JobEvent.Type.GANG_REQUESTED)
                .with("tasks", next.tasks().size())
                .with("resources", resources)
                .event()));
    actions.addAll(timer(Timer.ALLOCATION, next.job().limits().allocation()));
    TaskTable tasks = next.tasks();
    for (Task task : tasks) {
      tasks = tasks.with(task.in(TaskState.REQUESTED));
    }
    for (RoleSpec role : next.job().roles()) {
      actions.add(new Action.RequestContainers(role, role.instances()));
    }
    return new Decision(next.with(tasks), actions);
  }

  private static Decision allocated(JobState state, ContainerAllocated event) {
    int index = state.nextInRole().getOrDefault(event.role(), 0);
    int instances = state.job().role(event.role()).instances();
    while (index < instances
        && state.tasks().get(taskId(event.role(), index)).state() != TaskState.REQUESTED) {
      index++;
    }
    if (index == instances) {
      return surplus(state, event);
    }
    Task task =
        state
            .tasks()
            .get(taskId(event.role(), index))
            .allocated(event.container(), event.node(), event.log());
    Map<String, Integer> nextInRole = new HashMap<>(state.nextInRole());
    nextInRole.put(event.role(), index + 1);
    JobState next = state.with(task).withNextInRole(Map.copyOf(nextInRole));
    JobEvent fact =
        Facts.task(next, event, JobEvent.Type.TASK_ALLOCATED, task)
            .with("container", event.container())
            .with("node", event.node())
            .with("log", event.log())
            .event();
    return Decision.of(
            next, new Action.AppendEvent(fact), new LaunchExecutor(task.key(state.session())))
        .then(JobMachine::whenAllocated);
  }

  private static Decision whenAllocated(JobState state) {
    if (state.tasks().count(TaskState.REQUESTED) > 0) {
      return Decision.unchanged(state);
    }
    List<Action> actions = new ArrayList<>();
    actions.add(new CancelTimer(Timer.ALLOCATION));
    actions.addAll(timer(Timer.REGISTRATION, state.job().limits().registration()));
    return new Decision(state.in(REGISTERING), actions);
  }

  private static Decision surplus(JobState state, ContainerAllocated event) {
    return Decision.of(state, new ReleaseContainer(event.container()));
  }

  private static Decision registered(JobState state, TaskRegistered event) {
    Task task = current(state, event.key());
    if (task == null) {
      return Decision.of(state, new StopTask(event.key(), "it belongs to an earlier attempt"));
    }
    if (task.state() != TaskState.LAUNCHING) {
      return Decision.unchanged(state); // repeated after a reply that was lost
    }
    Task next = task.registered(event.endpoint(), event.tensorBoardPort());
    JobEvent fact =
        Facts.task(state, event, JobEvent.Type.TASK_REGISTERED, next)
            .with("endpoint", event.endpoint())
            .event();
    Decision decision = Decision.of(state.with(next), new Action.AppendEvent(fact));
    if (state.job().mode() == DistributedMode.FCFS) {
      decision = decision.then(now -> startAlone(now, next));
    }
    return decision.then(now -> whenRegistered(now, event));
  }

  private static Decision startAlone(JobState state, Task task) {
    // The task knows itself only: who else there will be is not known yet.
    Map<String, List<Endpoint>> self = Map.of(task.id().role(), List.of(task.endpoint()));
    return Decision.of(
        state.with(task.in(TaskState.RUNNING)), startTask(state, task, new ClusterSpec(self)));
  }

  private static Decision whenRegistered(JobState state, Event event) {
    int pending = state.tasks().count(TaskState.LAUNCHING);
    if (state.phase() != REGISTERING || pending > 0) {
      return Decision.unchanged(state);
    }
    List<Action> actions = new ArrayList<>();
    actions.add(new CancelTimer(Timer.REGISTRATION));
    TaskTable tasks = state.tasks();
    if (tasks.count(TaskState.REGISTERED) > 0) {
      ClusterSpec cluster = tasks.cluster();
      for (Task task : state.tasks()) {
        if (task.state() == TaskState.REGISTERED) {
          tasks = tasks.with(task.in(TaskState.RUNNING));
          actions.add(startTask(state, task, cluster));
        }
      }
    }
    actions.add(
        new Action.AppendEvent(Facts.job(state, event, JobEvent.Type.GANG_RUNNING).event()));
    return new Decision(state.with(tasks).in(RUNNING), actions);
  }

  private static Action startTask(JobState state, Task task, ClusterSpec cluster) {
    return new Action.StartTask(
        task.key(state.session()), state.session(), cluster, task.tensorBoardPort());
  }

  // ---- While it runs ----

  private static Decision started(JobState state, TaskStarted event) {
    Task task = current(state, event.key());
    if (task == null || task.state() != TaskState.RUNNING) {
      return Decision.unchanged(state);
    }
    return Decision.of(
        state,
        new Action.AppendEvent(
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
        state.withProgressAt(event.at()),
        new Action.AppendEvent(
            Facts.task(state, event, JobEvent.Type.TASK_PROGRESS, task)
                .with("text", event.text())
                .event()));
  }

  // ---- The end of a task ----

  private static Decision exited(JobState state, TaskExited event) {
    Task task = current(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state);
    }
    if (task.state() == TaskState.LAUNCHING) {
      return failed(state, event, task, TaskFailure.beforeRegistration(task));
    }
    Event.Exit exit = event.exit();
    if (exit.code() == 0 && exit.executorMessage().isEmpty()) {
      Task next = task.in(TaskState.SUCCEEDED);
      JobEvent fact =
          Facts.task(state, event, JobEvent.Type.TASK_SUCCEEDED, next)
              .with("exitCode", 0)
              .withOutputs(exit.outputs())
              .event();
      return Decision.of(state.with(next), new Action.AppendEvent(fact))
          .then(now -> Outcomes.afterSuccess(now, event, next));
    }
    return failed(state, event, task, TaskFailure.of(task, exit));
  }

  private static Decision containerEnded(JobState state, ContainerEnded event) {
    Task task = current(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state); // the executor ended after its report
    }
    return failed(state, event, task, TaskFailure.of(task, event));
  }

  private static Decision silent(JobState state, TaskSilent event) {
    Task task = current(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.unchanged(state);
    }
    return Decision.of(state, new StopContainer(event.key()))
        .then(now -> failed(now, event, task, TaskFailure.silent(task, state.job().limits())));
  }

  private static Decision failed(JobState state, Event event, Task task, TaskFailure failure) {
    Task next = task.in(TaskState.FAILED);
    return Decision.of(state.with(next), new Action.AppendEvent(failure.fact(state, event, next)))
        .then(now -> Outcomes.afterFailure(now, event, next, failure));
  }

  // ---- The end of the gang ----

  private static Decision stopRequested(JobState state, StopRequested event) {
    JobEvent fact =
        Facts.job(state, event, JobEvent.Type.STOP_REQUESTED).with("who", event.who()).event();
    JobResult result = JobResult.killed("stopped by " + event.who());
    return Decision.of(state, new Action.AppendEvent(fact))
        .then(now -> Stopping.end(now, event, result, "the job is stopped"));
  }

  private static Decision schedulerFailed(JobState state, SchedulerFailed event) {
    JobResult result = JobResult.failed(event.cause(), event.message());
    return Stopping.end(state, event, result, event.message());
  }

  private static Decision exitedWhileStopping(JobState state, TaskExited event) {
    return Stopping.taskGone(state, event, event.key()).then(now -> conclude(now, event));
  }

  private static Decision endedWhileStopping(JobState state, ContainerEnded event) {
    return Stopping.taskGone(state, event, event.key()).then(now -> conclude(now, event));
  }

  private static Decision registeredTooLate(JobState state, TaskRegistered event) {
    return Decision.of(state, new StopTask(event.key(), "the job is stopping"));
  }

  private static Decision timerFired(JobState state, TimerFired event) {
    return switch (event.timer()) {
      case APPLICATION -> timedOut(state, event, Timeouts.application(state));
      case ALLOCATION ->
          state.phase() == ALLOCATING
              ? timedOut(state, event, Timeouts.allocation(state))
              : Decision.unchanged(state);
      case REGISTRATION ->
          state.phase() == REGISTERING
              ? timedOut(state, event, Timeouts.registration(state))
              : Decision.unchanged(state);
      case STOPPING ->
          state.phase() == STOPPING
              ? Stopping.force(state, event).then(now -> conclude(now, event))
              : Decision.unchanged(state);
    };
  }

  private static Decision timedOut(JobState state, Event event, String message) {
    JobResult result = JobResult.failed(FailureKind.TIMEOUT, message);
    return Stopping.end(state, event, result, message);
  }

  /** Ends the stop when nothing holds a container any more. */
  static Decision conclude(JobState state, Event event) {
    if (state.phase() != STOPPING || state.tasks().holdingContainers() > 0) {
      return Decision.unchanged(state);
    }
    Decision stopped = Decision.of(state, new CancelTimer(Timer.STOPPING));
    if (state.outcome().restart()) {
      return stopped.then(now -> requestGang(now, event, now.session() + 1));
    }
    JobResult result = state.outcome().result();
    Facts finished =
        Facts.job(state, event, JobEvent.Type.JOB_FINISHED).with("status", result.status());
    if (result.kind() != null) {
      finished.with("kind", result.kind());
    }
    if (result.task() != null) {
      finished.with("task", result.task());
    }
    if (result.exitCode() != null) {
      finished.with("exitCode", result.exitCode());
    }
    finished.with("message", result.message());
    return stopped.then(
        now ->
            Decision.of(
                now.in(FINISHED),
                new CancelTimer(Timer.APPLICATION),
                new Action.AppendEvent(finished.event()),
                new Action.Finish(result)));
  }

  /** The task that the key names, when it is still in that attempt and container; else null. */
  static Task current(JobState state, TaskKey key) {
    if (key.attempt() != state.session() || !state.tasks().contains(key.task())) {
      return null;
    }
    Task task = state.tasks().get(key.task());
    return task.container().equals(key.container()) ? task : null;
  }

  static List<Action> timer(Timer timer, Duration after) {
    return after.isZero() ? List.of() : List.of(new SetTimer(timer, after));
  }

  private static TaskId taskId(String role, int index) {
    return new TaskId(role, index);
  }
}
