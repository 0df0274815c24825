package io.tony.am.machine;

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
import io.tony.fact.GangFact;
import io.tony.fact.TaskFact;
import io.tony.model.ClusterSpec;
import io.tony.model.DistributedMode;
import io.tony.model.RoleSpec;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
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
  static void request(Draft draft) {
    if (draft.state().phase() != Phase.BACKING_OFF || draft.state().wanted().isEmpty()) {
      requestAgain(draft);
    }
  }

  /** The same for a gang that has backed off for long enough. */
  static void requestAgain(Draft draft) {
    JobState state = draft.state();
    Map<RoleSpec, Integer> wanted = state.wanted();
    if (wanted.isEmpty()) {
      if (state.phase() == Phase.BACKING_OFF) { // the job goes on without what it gave back
        draft.act(new CancelTimer(Timer.BACK_OFF));
        startAll(draft);
      }
      return;
    }
    draft.record(
        new GangFact.Requested(
            wanted.values().stream().mapToInt(Integer::intValue).sum(),
            Shortage.text(wanted),
            wanted.keySet().stream().map(RoleSpec::name).toList()));
    Growing.giveBack(draft); // it may be just these that they wait for
    wanted.forEach((role, count) -> draft.act(new RequestContainers(role, count)));
    awaitContainers(draft);
  }

  /** Sets what becomes due during the wait; {@link WaitLimits} bounds it. */
  static void awaitContainers(Draft draft) {
    if (Joining.othersWait(draft.state())) {
      draft.act(timer(Timer.HOLD, draft.state().job().limits().hold()));
    }
    draft.act(new SetTimer(Timer.NOTICE, Shortage.NOTICE_AFTER));
    Elastic.awaitContainers(draft);
  }

  static void allocated(Draft draft, ContainerAllocated event) {
    JobState state = draft.state();
    RoleSpec role = state.job().role(event.role());
    Task next = state.tasks().firstRequested(event.role());
    if (isTooSmall(role, event) || (next == null && !Growing.wants(state, event))) {
      // Granted before YARN knew; where the role has grown, all were asked for anew.
      surplus(draft, event);
    } else if (state.clusterView().avoided().contains(event.node())) {
      // Granted before YARN knew.
      draft.act(new ReleaseContainer(event.container()));
      draft.act(new RequestContainers(role, 1));
    } else if (next == null) {
      Growing.take(draft, event);
    } else {
      draft.record(
          new TaskFact.Allocated(
              next.id(), event.container(), event.node(), event.log(), event.memory()));
      draft.act(new LaunchExecutor(draft.state().tasks().get(next.id()).key()));
      draft.act(timer(Timer.HOLD, state.job().limits().hold()));
      whenAllocated(draft);
    }
  }

  private static boolean isTooSmall(RoleSpec role, ContainerAllocated event) {
    return event.memory() != null && event.memory() < role.resource().memoryMiB();
  }

  static void surplus(Draft draft, ContainerAllocated event) {
    draft.act(new ReleaseContainer(event.container()));
  }

  /** Once nobody waits for a container any more, nothing more is to become due. */
  static void whenAllocated(Draft draft) {
    JobState state = draft.state();
    if (!Joining.othersWait(state)) {
      draft.act(new CancelTimer(Timer.HOLD));
      draft.act(new CancelTimer(Timer.ELASTIC));
      if (state.tasks().count(TaskState.REQUESTED) == 0) {
        draft.act(new CancelTimer(Timer.NOTICE));
      }
    }
  }

  static void registered(Draft draft, TaskRegistered event) {
    JobState state = draft.state();
    TaskKey key = event.key();
    Task task = JobMachine.inContainer(state, key);
    boolean unknown =
        key.attempt() > state.gang().attempt() || (task != null && key.attempt() > task.attempt());
    if (unknown) {
      draft.act(new StopTask(key, "its ApplicationMaster knows nothing of this attempt"));
      JobMachine.logIncomplete(
          draft, key + " was started, and the log ends before attempt " + key.attempt());
    } else if (task == null || !task.state().holdsContainer()) {
      draft.act(new StopTask(key, "it belongs to an earlier attempt"));
    } else if (key.attempt() < task.attempt()) {
      draft.act(new RestartTask(key, task.id(), task.attempt(), "it starts again", false));
    } else if (task.state() == TaskState.LAUNCHING) {
      register(draft, task, event);
    }
    // Else it is repeated: the reply was lost, or this process is another.
  }

  private static void register(Draft draft, Task task, TaskRegistered event) {
    draft.record(new TaskFact.Registered(task.id(), event.endpoint(), event.tensorBoardPort()));
    JobState state = draft.state();
    Task next = state.tasks().get(task.id());
    if (state.waitsForNobody(next)) {
      ClusterSpec gang =
          state.job().mode() == DistributedMode.GANG ? state.tasks().cluster() : null;
      draft.act(startTask(state, next, clusterFor(state, next, gang)));
      Preemption.tellAgain(draft, List.of(next));
    }
    if (Joining.isNew(state, task)) {
      Growing.planSoon(draft);
    }
    whenRegistered(draft);
  }

  /** What a task may know of the others: in FCFS mode nobody knows who else there will be. */
  static ClusterSpec clusterFor(JobState state, Task task, ClusterSpec gang) {
    return state.job().mode() == DistributedMode.FCFS
        ? new ClusterSpec(Map.of(task.id().role(), List.of(task.endpoint())))
        : gang;
  }

  static Action startTask(JobState state, Task task, ClusterSpec cluster) {
    return new StartTask(
        task.key(),
        state.session(),
        cluster,
        task.tensorBoardPort(),
        state.modelParams(),
        state.waitsForNobody(task));
  }

  /** Goes on where a task that the others wait for has ended instead, or starts by itself now. */
  static void startIfAllAreThere(Draft draft) {
    whenRegistered(draft);
  }

  /** Once all their executors are there, all that wait for each other are told to start. */
  static void whenRegistered(Draft draft) {
    JobState state = draft.state();
    if (state.phase() == Phase.REGISTERING && !state.holdsUp(TaskState.LAUNCHING)) {
      startAll(draft);
    }
  }

  private static void startAll(Draft draft) {
    JobState state = draft.state();
    ClusterSpec cluster = state.tasks().cluster();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.REGISTERED) {
        draft.act(startTask(state, task, cluster));
      }
    }
    FirstCauses.conclude(draft);
    draft.record(new GangFact.Running());
    Growing.plan(draft);
    Preemption.tellAgain(draft, draft.state().tasks());
  }

  static List<Action> timer(Timer timer, Duration after) {
    return after.isZero() ? List.of() : List.of(new SetTimer(timer, after));
  }
}
