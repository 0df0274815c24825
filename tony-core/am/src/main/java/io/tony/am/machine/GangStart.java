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
import java.util.Objects;

/**
 * Leads the gang from its container requests to the start of its programs. Roles without
 * dependencies are requested first; each other role is requested when the roles that it depends on
 * have ended. Tasks that are requested together start together.
 */
final class GangStart {
  private GangStart() {}

  /**
   * Requests the containers of every role that may start and whose containers were not requested
   * yet. While the gang backs off, requests nothing, but starts the gang if it lacks no container
   * any more.
   */
  static void requestContainers(DecisionBuilder decision) {
    if (decision.state().phase() != Phase.BACKING_OFF
        || decision.state().unrequestedContainers().isEmpty()) {
      requestAfterBackoff(decision);
    }
  }

  /** Like {@link #requestContainers}, but also requests the containers if the gang backs off. */
  static void requestAfterBackoff(DecisionBuilder decision) {
    JobState state = decision.state();
    Map<RoleSpec, Integer> unrequested = state.unrequestedContainers();
    if (unrequested.isEmpty()) {
      // The job has meanwhile become able to run without the containers that the gang gave back.
      // Nothing is left to request, so the gang starts without waiting for the end of the back-off.
      if (state.phase() == Phase.BACKING_OFF) {
        decision.emit(new CancelTimer(Timer.BACK_OFF));
        startAll(decision);
      }
      return;
    }
    decision.record(
        new GangFact.Requested(
            unrequested.values().stream().mapToInt(Integer::intValue).sum(),
            ContainerShortage.text(unrequested),
            unrequested.keySet().stream().map(RoleSpec::name).toList()));
    // Give back the containers that were requested for growing: they may hold exactly the resources
    // that the requested roles lack.
    ElasticScaleUp.releaseSpares(decision);
    unrequested.forEach((role, count) -> decision.emit(new RequestContainers(role, count)));
    awaitContainers(decision);
  }

  /**
   * Sets the timers of a gang that begins to wait for containers, except those of {@link
   * WaitLimits}.
   */
  static void awaitContainers(DecisionBuilder decision) {
    if (LiveResize.isWaitingForContainers(decision.state())) {
      decision.emit(
          timerUnlessZero(
              Timer.PARTIAL_ALLOCATION, decision.state().job().limits().partialAllocation()));
    }
    decision.emit(new SetTimer(Timer.NOTICE, ContainerShortage.NOTICE_AFTER));
    ElasticPolicy.awaitContainers(decision);
  }

  static void containerAllocated(DecisionBuilder decision, ContainerAllocated event) {
    JobState state = decision.state();
    RoleSpec role = state.job().role(event.role());
    Task next = state.tasks().firstRequested(event.role());
    if (isTooSmall(role, event) || (next == null && !ElasticScaleUp.accepts(state, event))) {
      // Either YARN granted the container before it handled the withdrawal of the request, or the
      // container is too small: the role's memory was increased, and all of its containers were
      // requested again.
      releaseSurplus(decision, event);
    } else if (state.clusterView().avoided().contains(event.node())) {
      // YARN granted the container before it received the set of avoided nodes. Exchange it for one
      // on another node.
      decision.emit(new ReleaseContainer(event.container()));
      decision.emit(new RequestContainers(role, 1));
    } else if (next == null) {
      ElasticScaleUp.addSpare(decision, event);
    } else {
      decision.record(
          new TaskFact.Allocated(
              next.id(), event.container(), event.node(), event.logUrl(), event.memoryMiB()));
      decision.emit(new LaunchExecutor(decision.state().tasks().get(next.id()).key()));
      decision.emit(
          timerUnlessZero(Timer.PARTIAL_ALLOCATION, state.job().limits().partialAllocation()));
      cancelTimersIfAllocated(decision);
    }
  }

  private static boolean isTooSmall(RoleSpec role, ContainerAllocated event) {
    return event.memoryMiB() != null && event.memoryMiB() < role.resource().memoryMiB();
  }

  static void releaseSurplus(DecisionBuilder decision, ContainerAllocated event) {
    decision.emit(new ReleaseContainer(event.container()));
  }

  /**
   * Cancels the timers that {@link #awaitContainers} has set, if no needed container is missing any
   * more.
   */
  static void cancelTimersIfAllocated(DecisionBuilder decision) {
    JobState state = decision.state();
    if (!LiveResize.isWaitingForContainers(state)) {
      decision.emit(new CancelTimer(Timer.PARTIAL_ALLOCATION));
      decision.emit(new CancelTimer(Timer.ELASTIC));
      if (state.tasks().count(TaskState.REQUESTED) == 0) {
        decision.emit(new CancelTimer(Timer.NOTICE));
      }
    }
  }

  static void taskRegistered(DecisionBuilder decision, TaskRegistered event) {
    JobState state = decision.state();
    TaskKey key = event.key();
    Task task = JobMachine.taskInContainer(state, key);
    boolean unknown =
        key.attempt() > state.gang().attempt() || (task != null && key.attempt() > task.attempt());
    if (unknown) {
      decision.emit(new StopTask(key, "its ApplicationMaster knows nothing of this attempt"));
      JobMachine.logIncomplete(
          decision, key + " was started, and the log ends before attempt " + key.attempt());
    } else if (task == null || !task.state().holdsContainer()) {
      decision.emit(new StopTask(key, "it belongs to an earlier attempt"));
    } else if (key.attempt() < task.attempt()) {
      decision.emit(new RestartTask(key, task.id(), task.attempt(), "it starts again", false));
    } else if (task.state() == TaskState.LAUNCHING) {
      register(decision, task, event);
    }
    // Otherwise the task has registered already, and there is nothing to do: the executor repeats
    // its registration, because it did not get the reply or because it was restarted.
  }

  private static void register(DecisionBuilder decision, Task task, TaskRegistered event) {
    decision.record(new TaskFact.Registered(task.id(), event.endpoint(), event.tensorBoardPort()));
    JobState state = decision.state();
    Task next = state.tasks().get(task.id());
    if (state.startsIndependently(next)) {
      ClusterSpec cluster =
          state.job().mode() == DistributedMode.FCFS ? clusterOf(next) : state.tasks().cluster();
      decision.emit(startTask(state, next, cluster));
      Preemption.requestCheckpointsAgain(decision, List.of(next));
    }
    if (LiveResize.isJoining(state, task)) {
      ElasticScaleUp.scheduleNextTask(decision);
    }
    startIfAllRegistered(decision);
  }

  /**
   * Returns the cluster that the task's program gets to see: in FCFS mode only the task itself,
   * because the other tasks are not known yet; otherwise the whole gang.
   *
   * @param gang the cluster with all tasks; not used in FCFS mode
   */
  static ClusterSpec clusterFor(JobState state, Task task, ClusterSpec gang) {
    return state.job().mode() == DistributedMode.FCFS ? clusterOf(task) : gang;
  }

  /** Returns the cluster that consists of this registered task alone. */
  private static ClusterSpec clusterOf(Task task) {
    return new ClusterSpec(
        Map.of(task.id().role(), List.of(Objects.requireNonNull(task.endpoint()))));
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

  /**
   * Starts all registered tasks together if every container has arrived and no executor is missing
   * for the gang's start. Also called after a task has ended or will start alone, because the gang
   * does not wait for that task any more.
   */
  static void startIfAllRegistered(DecisionBuilder decision) {
    JobState state = decision.state();
    if (state.phase() == Phase.REGISTERING && !state.isGangStartBlockedBy(TaskState.LAUNCHING)) {
      startAll(decision);
    }
  }

  private static void startAll(DecisionBuilder decision) {
    JobState state = decision.state();
    ClusterSpec cluster = state.tasks().cluster();
    for (Task task : state.tasks()) {
      if (task.state() == TaskState.REGISTERED) {
        decision.emit(startTask(state, task, cluster));
      }
    }
    RootCauseAnalysis.conclude(decision);
    decision.record(new GangFact.Running());
    ElasticScaleUp.schedule(decision);
    Preemption.requestCheckpointsAgain(decision, decision.state().tasks());
  }

  static List<Action> timerUnlessZero(Timer timer, Duration delay) {
    return delay.isZero() ? List.of() : List.of(new SetTimer(timer, delay));
  }
}
