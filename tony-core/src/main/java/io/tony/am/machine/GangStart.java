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
import io.tony.event.GangFact;
import io.tony.event.TaskFact;
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
final class GangStart {
  private GangStart() {}

  /** Asks for the containers of every role that may start and has not been asked for. */
  static void requestContainers(DecisionBuilder draft) {
    if (draft.state().phase() != Phase.BACKING_OFF
        || draft.state().unrequestedContainers().isEmpty()) {
      requestAfterBackoff(draft);
    }
  }

  /** The same for a gang that has backed off for long enough. */
  static void requestAfterBackoff(DecisionBuilder draft) {
    JobState state = draft.state();
    Map<RoleSpec, Integer> unrequested = state.unrequestedContainers();
    if (unrequested.isEmpty()) {
      if (state.phase() == Phase.BACKING_OFF) { // the job goes on without what it gave back
        draft.emit(new CancelTimer(Timer.BACK_OFF));
        startAll(draft);
      }
      return;
    }
    draft.record(
        new GangFact.Requested(
            unrequested.values().stream().mapToInt(Integer::intValue).sum(),
            ContainerShortage.text(unrequested),
            unrequested.keySet().stream().map(RoleSpec::name).toList()));
    ElasticScaleUp.releaseSpares(draft); // it may be just these that they wait for
    unrequested.forEach((role, count) -> draft.emit(new RequestContainers(role, count)));
    awaitContainers(draft);
  }

  /** Sets what becomes due during the wait; {@link WaitLimits} bounds it. */
  static void awaitContainers(DecisionBuilder draft) {
    if (LiveResize.isWaitingForContainers(draft.state())) {
      draft.emit(timerUnlessZero(Timer.HOLD, draft.state().job().limits().partialAllocation()));
    }
    draft.emit(new SetTimer(Timer.NOTICE, ContainerShortage.NOTICE_AFTER));
    ElasticPolicy.awaitContainers(draft);
  }

  static void containerAllocated(DecisionBuilder draft, ContainerAllocated event) {
    JobState state = draft.state();
    RoleSpec role = state.job().role(event.role());
    Task next = state.tasks().firstRequested(event.role());
    if (isTooSmall(role, event) || (next == null && !ElasticScaleUp.accepts(state, event))) {
      // Granted before YARN knew; where the role has grown, all were asked for anew.
      releaseSurplus(draft, event);
    } else if (state.clusterView().avoided().contains(event.node())) {
      // Granted before YARN knew.
      draft.emit(new ReleaseContainer(event.container()));
      draft.emit(new RequestContainers(role, 1));
    } else if (next == null) {
      ElasticScaleUp.addSpare(draft, event);
    } else {
      draft.record(
          new TaskFact.Allocated(
              next.id(), event.container(), event.node(), event.logUrl(), event.memoryMiB()));
      draft.emit(new LaunchExecutor(draft.state().tasks().get(next.id()).key()));
      draft.emit(timerUnlessZero(Timer.HOLD, state.job().limits().partialAllocation()));
      cancelTimersIfAllocated(draft);
    }
  }

  private static boolean isTooSmall(RoleSpec role, ContainerAllocated event) {
    return event.memoryMiB() != null && event.memoryMiB() < role.resource().memoryMiB();
  }

  static void releaseSurplus(DecisionBuilder draft, ContainerAllocated event) {
    draft.emit(new ReleaseContainer(event.container()));
  }

  /** Once nobody waits for a container any more, nothing more is to become due. */
  static void cancelTimersIfAllocated(DecisionBuilder draft) {
    JobState state = draft.state();
    if (!LiveResize.isWaitingForContainers(state)) {
      draft.emit(new CancelTimer(Timer.HOLD));
      draft.emit(new CancelTimer(Timer.ELASTIC));
      if (state.tasks().count(TaskState.REQUESTED) == 0) {
        draft.emit(new CancelTimer(Timer.NOTICE));
      }
    }
  }

  static void taskRegistered(DecisionBuilder draft, TaskRegistered event) {
    JobState state = draft.state();
    TaskKey key = event.key();
    Task task = JobMachine.taskInContainer(state, key);
    boolean unknown =
        key.attempt() > state.gang().attempt() || (task != null && key.attempt() > task.attempt());
    if (unknown) {
      draft.emit(new StopTask(key, "its ApplicationMaster knows nothing of this attempt"));
      JobMachine.logIncomplete(
          draft, key + " was started, and the log ends before attempt " + key.attempt());
    } else if (task == null || !task.state().holdsContainer()) {
      draft.emit(new StopTask(key, "it belongs to an earlier attempt"));
    } else if (key.attempt() < task.attempt()) {
      draft.emit(new RestartTask(key, task.id(), task.attempt(), "it starts again", false));
    } else if (task.state() == TaskState.LAUNCHING) {
      register(draft, task, event);
    }
    // Else it is repeated: the reply was lost, or this process is another.
  }

  private static void register(DecisionBuilder draft, Task task, TaskRegistered event) {
    draft.record(new TaskFact.Registered(task.id(), event.endpoint(), event.tensorBoardPort()));
    JobState state = draft.state();
    Task next = state.tasks().get(task.id());
    if (state.startsIndependently(next)) {
      ClusterSpec gang =
          state.job().mode() == DistributedMode.GANG ? state.tasks().cluster() : null;
      draft.emit(startTask(state, next, clusterFor(state, next, gang)));
      Preemption.requestCheckpointsAgain(draft, List.of(next));
    }
    if (LiveResize.isJoining(state, task)) {
      ElasticScaleUp.scheduleNextTask(draft);
    }
    startIfAllRegistered(draft);
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
        state.startsIndependently(task));
  }

  /** Goes on where a task that the others wait for has ended instead, or starts by itself now. */
  static void startIfComplete(DecisionBuilder draft) {
    startIfAllRegistered(draft);
  }

  /** Once all their executors are there, all that wait for each other are told to start. */
  static void startIfAllRegistered(DecisionBuilder draft) {
    JobState state = draft.state();
    if (state.phase() == Phase.REGISTERING && !state.isGangStartBlockedBy(TaskState.LAUNCHING)) {
      startAll(draft);
    }
  }

  private static void startAll(DecisionBuilder draft) {
    JobState state = draft.state();
    ClusterSpec cluster = state.tasks().cluster();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.REGISTERED) {
        draft.emit(startTask(state, task, cluster));
      }
    }
    RootCauseAnalysis.conclude(draft);
    draft.record(new GangFact.Running());
    ElasticScaleUp.schedule(draft);
    Preemption.requestCheckpointsAgain(draft, draft.state().tasks());
  }

  static List<Action> timerUnlessZero(Timer timer, Duration delay) {
    return delay.isZero() ? List.of() : List.of(new SetTimer(timer, delay));
  }
}
