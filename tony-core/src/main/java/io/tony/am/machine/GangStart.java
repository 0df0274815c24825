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
 * Leads from the container requests to the start of the programs. Roles without dependencies are
 * requested first, the others when the roles they depend on have ended. Tasks that are requested
 * together start together.
 */
final class GangStart {
  private GangStart() {}

  /**
   * Requests the containers of every role that may start and has not been requested. Does nothing
   * while the gang backs off.
   */
  static void requestContainers(DecisionBuilder draft) {
    if (draft.state().phase() != Phase.BACKING_OFF
        || draft.state().unrequestedContainers().isEmpty()) {
      requestAfterBackoff(draft);
    }
  }

  /** Like {@link #requestContainers}, but after the gang's back-off. */
  static void requestAfterBackoff(DecisionBuilder draft) {
    JobState state = draft.state();
    Map<RoleSpec, Integer> unrequested = state.unrequestedContainers();
    if (unrequested.isEmpty()) {
      // The job goes on without the containers it gave back.
      if (state.phase() == Phase.BACKING_OFF) {
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
    // The requested roles may be waiting for exactly these containers.
    ElasticScaleUp.releaseSpares(draft);
    unrequested.forEach((role, count) -> draft.emit(new RequestContainers(role, count)));
    awaitContainers(draft);
  }

  /**
   * Sets the timers that apply while the gang waits for containers; {@link WaitLimits} limits the
   * wait.
   */
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
      // The scheduler granted the container before the request changed; after a memory increase,
      // all containers of the role were requested again.
      releaseSurplus(draft, event);
    } else if (state.clusterView().avoided().contains(event.node())) {
      // The scheduler granted the container before it received the set of avoided nodes.
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

  /** Cancels the timers of the wait for containers, once no needed container is missing. */
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
    // Otherwise the registration is repeated: its reply was lost, or the executor was restarted.
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

  /**
   * Returns the part of the cluster that the task gets to see. In FCFS mode that is only the task
   * itself, because the other tasks are not known yet.
   */
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

  /** Starts the gang if it is complete after a task has ended or now starts independently. */
  static void startIfComplete(DecisionBuilder draft) {
    startIfAllRegistered(draft);
  }

  /** Starts all registered tasks together, once no executor of the gang is missing. */
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
