package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.LaunchExecutor;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.ContainerAllocated;
import io.tony.am.machine.Event.TaskRegistered;
import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.JobEvent;
import io.tony.model.JobLimits;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * From the request of containers to the start of the programs. Roles that depend on none are asked
 * for first, the others when those that they wait for have ended; what is asked for together starts
 * together.
 */
final class Starting {
  private Starting() {}

  /** Asks for the containers of every role that may start and has not been asked for. */
  static Decision request(JobState state, Event event) {
    Map<RoleSpec, Integer> wanted = new LinkedHashMap<>();
    for (RoleSpec role : state.job().roles()) {
      int waiting = state.tasks().count(role.name(), TaskState.WAITING);
      if (waiting > 0 && state.mayStart(role)) {
        wanted.put(role, waiting);
      }
    }
    if (wanted.isEmpty() || state.phase() == Phase.BACKING_OFF) {
      return Decision.unchanged(state);
    }
    JobState next = requested(state, wanted.keySet().stream().map(RoleSpec::name).toList());
    List<Action> actions = new ArrayList<>();
    actions.add(new AppendEvent(requestFact(next, event, wanted)));
    wanted.forEach((role, count) -> actions.add(new RequestContainers(role, count)));
    return new Decision(next, actions).then(now -> awaitContainers(now, state.phase()));
  }

  /** The state once the waiting tasks of these roles have been asked for. */
  static JobState requested(JobState state, List<String> roles) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.WAITING && roles.contains(task.id().role())) {
        tasks = tasks.with(task.in(TaskState.REQUESTED));
      }
    }
    return state.with(tasks).in(Phase.ALLOCATING);
  }

  private static JobEvent requestFact(JobState state, Event event, Map<RoleSpec, Integer> wanted) {
    int tasks = wanted.values().stream().mapToInt(Integer::intValue).sum();
    return Facts.job(state, event, JobEvent.Type.GANG_REQUESTED)
        .with("tasks", tasks)
        .with("resources", Shortage.text(wanted))
        .with("roles", String.join(",", wanted.keySet().stream().map(RoleSpec::name).toList()))
        .event();
  }

  /** Sets what bounds the wait. The limit of the allocation counts on through back-offs. */
  static Decision awaitContainers(JobState state, Phase before) {
    JobLimits limits = state.job().limits();
    List<Action> actions = new ArrayList<>();
    if (before != Phase.ALLOCATING && before != Phase.BACKING_OFF) {
      actions.addAll(timer(Timer.ALLOCATION, limits.allocation()));
    }
    actions.addAll(timer(Timer.HOLD, limits.hold()));
    actions.add(new SetTimer(Timer.NOTICE, Shortage.NOTICE_AFTER));
    return new Decision(state, actions);
  }

  static Decision allocated(JobState state, ContainerAllocated event) {
    Task owed = state.tasks().firstRequested(event.role());
    if (owed == null) {
      return surplus(state, event);
    }
    if (state.around().avoided().contains(event.node())) {
      // Granted before YARN knew.
      return Decision.of(
          state,
          new ReleaseContainer(event.container()),
          new RequestContainers(state.role(owed), 1));
    }
    Task task = owed.allocated(event.container(), event.node(), event.log());
    JobEvent fact =
        Facts.task(state, event, JobEvent.Type.TASK_ALLOCATED, task)
            .with("container", event.container())
            .with("node", event.node())
            .with("log", event.log())
            .event();
    List<Action> actions = new ArrayList<>();
    actions.add(new AppendEvent(fact));
    actions.add(new LaunchExecutor(task.key()));
    actions.addAll(timer(Timer.HOLD, state.job().limits().hold()));
    return new Decision(state.with(task), actions).then(Starting::whenAllocated);
  }

  static Decision surplus(JobState state, ContainerAllocated event) {
    return Decision.of(state, new ReleaseContainer(event.container()));
  }

  /** Once nothing is owed any more, the executors are waited for. */
  static Decision whenAllocated(JobState state) {
    if (state.tasks().count(TaskState.REQUESTED) > 0 || state.phase() == Phase.BACKING_OFF) {
      return Decision.unchanged(state);
    }
    List<Action> actions = new ArrayList<>();
    actions.add(new CancelTimer(Timer.ALLOCATION));
    actions.add(new CancelTimer(Timer.HOLD));
    actions.add(new CancelTimer(Timer.NOTICE));
    actions.addAll(awaitExecutors(state));
    return new Decision(state.settled(), actions);
  }

  /** Goes on where a task that was waited for has ended instead. */
  static Decision settle(JobState state, Event event) {
    return switch (state.phase()) {
      case ALLOCATING -> whenAllocated(state).then(now -> whenRegistered(now, event));
      case REGISTERING -> whenRegistered(state, event);
      case NEW, BACKING_OFF, RUNNING, STOPPING, FINISHED -> Decision.unchanged(state);
    };
  }

  static List<Action> awaitExecutors(JobState state) {
    return timer(Timer.REGISTRATION, state.job().limits().registration());
  }

  static Decision registered(JobState state, TaskRegistered event) {
    Task task = JobMachine.inContainer(state, event.key());
    if (task == null || !task.state().holdsContainer()) {
      return Decision.of(state, new StopTask(event.key(), "it belongs to an earlier attempt"));
    }
    if (event.key().attempt() < task.attempt()) {
      return Decision.of(state, new RestartTask(event.key(), task.attempt(), "it starts again"));
    }
    if (task.state() != TaskState.LAUNCHING) {
      return Decision.unchanged(state); // repeated: the reply was lost, or this process is another
    }
    Task next = task.registered(event.endpoint(), event.tensorBoardPort());
    JobEvent fact =
        Facts.task(state, event, JobEvent.Type.TASK_REGISTERED, next)
            .with("endpoint", event.endpoint())
            .with("tensorBoardPort", event.tensorBoardPort())
            .event();
    Decision decision = Decision.of(state.with(next), new AppendEvent(fact));
    if (waitsForNobody(state, next)) {
      decision = decision.then(now -> start(now, next));
    }
    return decision.then(now -> whenRegistered(now, event));
  }

  static boolean waitsForNobody(JobState state, Task task) {
    return state.job().mode() == DistributedMode.FCFS || task.alone();
  }

  private static Decision start(JobState state, Task task) {
    ClusterSpec gang = state.job().mode() == DistributedMode.GANG ? state.tasks().cluster() : null;
    return Decision.of(
        state.with(task.in(TaskState.RUNNING)),
        startTask(state, task, clusterFor(state, task, gang)));
  }

  /** What a task may know of the others: in FCFS mode nobody knows who else there will be. */
  static ClusterSpec clusterFor(JobState state, Task task, ClusterSpec gang) {
    return state.job().mode() == DistributedMode.FCFS
        ? new ClusterSpec(Map.of(task.id().role(), List.of(task.endpoint())))
        : gang;
  }

  static Action startTask(JobState state, Task task, ClusterSpec cluster) {
    return new StartTask(
        task.key(), state.session(), cluster, task.tensorBoardPort(), state.modelParams());
  }

  /** Once every executor is there, all that wait for each other are told to start. */
  static Decision whenRegistered(JobState state, Event event) {
    if (state.tasks().count(TaskState.LAUNCHING) > 0
        || state.tasks().count(TaskState.REQUESTED) > 0) {
      return Decision.unchanged(state);
    }
    Decision awaited = Decision.of(state, new CancelTimer(Timer.REGISTRATION));
    return state.phase() == Phase.REGISTERING ? awaited.then(now -> startAll(now, event)) : awaited;
  }

  private static Decision startAll(JobState state, Event event) {
    List<Action> actions = new ArrayList<>();
    if (state.tasks().count(TaskState.REGISTERED) > 0) {
      ClusterSpec cluster = state.tasks().cluster();
      for (Task task : state.tasks()) {
        if (task.state() == TaskState.REGISTERED) {
          actions.add(startTask(state, task, cluster));
        }
      }
    }
    actions.add(new AppendEvent(Facts.job(state, event, JobEvent.Type.GANG_RUNNING).event()));
    return new Decision(running(state), actions);
  }

  /** The state once all that are registered have been told to start. */
  static JobState running(JobState state) {
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.REGISTERED) {
        tasks = tasks.with(task.in(TaskState.RUNNING));
      }
    }
    return state.with(tasks).in(Phase.RUNNING);
  }

  static List<Action> timer(Timer timer, Duration after) {
    return after.isZero() ? List.of() : List.of(new SetTimer(timer, after));
  }
}
