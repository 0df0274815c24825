package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.SetTimer;
import io.tony.event.CheckpointFact;
import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.model.FailureKind;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Adds tasks to an elastic gang that runs with fewer than its maximum. From time to time, the gang
 * requests the missing containers while its programs run on. When containers have arrived, the gang
 * asks its programs for a checkpoint and restarts from that checkpoint with the additional
 * containers. With {@link LiveResize}, the gang requests only one container at a time, and the new
 * task joins while the others run. YARN's figure of free resources does not help here: YARN updates
 * it only for applications with pending requests.
 */
final class ElasticScaleUp {
  private static final int MAX_DOUBLINGS = 5;
  private static final Duration NEXT_TASK_DELAY = Duration.ofSeconds(1);

  private ElasticScaleUp() {}

  /**
   * Sets the timer after which the gang requests more containers, if it has fewer tasks than its
   * maximum.
   */
  static void schedule(DecisionBuilder decision) {
    JobState state = decision.state();
    Duration interval = state.job().limits().elasticity().growInterval();
    int doublings = Math.min(state.gang().resizes().count(), MAX_DOUBLINGS);
    schedule(decision, interval.multipliedBy(1L << doublings));
  }

  /**
   * Sets a short timer after a task has joined. YARN may have room for one more task, which is then
   * requested without the usual delay.
   */
  static void scheduleNextTask(DecisionBuilder decision) {
    schedule(decision, NEXT_TASK_DELAY);
  }

  private static void schedule(DecisionBuilder decision, Duration delay) {
    if (decision.state().job().roles().stream()
        .anyMatch(role -> role.instances() < role.maxInstances())) {
      decision.emit(new SetTimer(Timer.GROWTH, delay));
    }
  }

  /**
   * Handles the expiry of {@link Timer.Kind#GROWTH}. Requests more containers if none are requested
   * yet. Otherwise grows into those that have arrived; gives them back if none has arrived, if no
   * checkpoint was saved in time, or if the gang may not grow now.
   */
  static void growthTimerFired(DecisionBuilder decision) {
    JobState state = decision.state();
    if (state.phase() != Phase.RUNNING) {
      return; // The timer is set again when the gang runs.
    }
    SpareContainers spares = state.clusterView().spares();
    if (spares == null && mayGrow(state)) {
      requestContainers(decision);
    } else if (spares == null
        || spares.checkpointRequestedAt() != null
        || spares.held().isEmpty()
        || !mayGrow(state)) {
      if (spares != null && spares.held().isEmpty()) {
        // The avoided nodes may be the reason why no container has arrived.
        NodeAvoidance.forgive(decision);
      }
      // The gang does not grow now, and tries again later.
      releaseSpares(decision);
      schedule(decision);
    } else {
      growInto(decision, spares);
    }
  }

  /**
   * Returns true if the gang may grow: a free restart is allowed, every task has registered, no
   * failure is pending, and no tracked task has ended except in roles that other roles depend on.
   * With live resize, tasks of optional roles may be unregistered, because the gang does not
   * restart.
   */
  private static boolean mayGrow(JobState state) {
    boolean hasEnded =
        state.job().roles().stream()
            .filter(role -> role.supervision() == Supervision.TRACKED)
            .filter(role -> !state.job().dependencyRoles().contains(role.name()))
            .anyMatch(role -> state.tasks().endedCount(role.name()) > 0);
    boolean isWaiting =
        isMissing(state, TaskState.REQUESTED) || isMissing(state, TaskState.LAUNCHING);
    boolean hasPendingFailure = !state.gang().gangFailure().pendingFailures().isEmpty();
    return !hasEnded && !isWaiting && !hasPendingFailure && AttemptLimits.allowsFreeRestart(state);
  }

  private static boolean isMissing(JobState state, TaskState taskState) {
    return state.job().limits().elasticity().liveResize()
        ? state.isMissingTaskIn(taskState)
        : state.tasks().count(taskState) > 0;
  }

  private static void requestContainers(DecisionBuilder decision) {
    JobState state = decision.state();
    for (RoleSpec role : state.job().roles()) {
      int missing = role.maxInstances() - role.instances();
      if (missing > 0) {
        int more = LiveResize.supportsLiveResize(state, role) ? 1 : missing;
        decision.noteCluster(
            state.clusterView().withSpares(new SpareContainers(role, more, List.of(), null)));
        decision.emit(new RequestContainers(role, more));
        decision.emit(new SetTimer(Timer.GROWTH, state.job().limits().elasticity().waitTimeout()));
        // The gang grows in one role at a time.
        return;
      }
    }
  }

  /**
   * Returns true if the gang can grow with this container, for which no task waits: it was
   * requested for growing, and the programs have not been asked for a checkpoint yet.
   */
  static boolean accepts(JobState state, Event.ContainerAllocated event) {
    SpareContainers spares = state.clusterView().spares();
    return spares != null
        && spares.checkpointRequestedAt() == null
        && spares.role().name().equals(event.role())
        && spares.missingCount() > 0
        && state.phase() == Phase.RUNNING;
  }

  /**
   * Keeps a container for which {@link #accepts} returned true. When all requested containers have
   * arrived, starts to grow if the gang may grow.
   */
  static void addSpare(DecisionBuilder decision, Event.ContainerAllocated event) {
    ClusterView cluster = decision.state().clusterView();
    SpareContainers more = Objects.requireNonNull(cluster.spares()).with(event);
    decision.noteCluster(cluster.withSpares(more));
    if (more.missingCount() == 0 && mayGrow(decision.state())) {
      growInto(decision, more);
    }
  }

  private static void growInto(DecisionBuilder decision, SpareContainers spares) {
    if (LiveResize.supportsLiveResize(decision.state(), spares.role())) {
      LiveResize.join(decision, spares);
    } else {
      requestCheckpoint(decision, spares);
    }
  }

  private static void requestCheckpoint(DecisionBuilder decision, SpareContainers spares) {
    JobState state = decision.state();
    if (spares.missingCount() > 0) {
      decision.emit(new CancelRequests(spares.role(), spares.missingCount()));
    }
    decision.noteCluster(
        state.clusterView().withSpares(spares.withCheckpointRequested(decision.at())));
    String role = spares.role().name();
    int instances = state.job().role(role).instances() + spares.held().size();
    decision.record(new ResizeFact.ScaleUpPlanned(role, instances));
    Preemption.requestGangCheckpoint(decision, decision.at());
    decision.emit(new SetTimer(Timer.GROWTH, state.job().limits().checkpointRequests().validity()));
  }

  /**
   * Handles the loss of a container that was requested for growing and in which nothing was
   * launched. Requests another one, unless the programs have already been asked for a checkpoint.
   */
  static void spareLost(DecisionBuilder decision, Event.UnusedContainerEnded event) {
    ClusterView cluster = decision.state().clusterView();
    SpareContainers spares = cluster.spares();
    if (spares != null && spares.holds(event.container())) {
      decision.noteCluster(cluster.withSpares(spares.withoutContainer(event.container())));
      if (spares.checkpointRequestedAt() == null) {
        decision.emit(new RequestContainers(spares.role(), 1));
      }
    }
  }

  /**
   * Returns true if the programs have been asked for a checkpoint in order to grow and the request
   * is still valid.
   */
  static boolean isCheckpointRequested(DecisionBuilder decision) {
    JobState state = decision.state();
    return state
        .gang()
        .resizes()
        .isCheckpointRequested(state.job().limits().checkpointRequests().validity(), decision.at());
  }

  /**
   * Gives back the containers requested for growing, and withdraws the requests that YARN has not
   * granted, because the gang restarts for another reason or ends. Does nothing if there are none.
   */
  static void releaseSpares(DecisionBuilder decision) {
    ClusterView cluster = decision.state().clusterView();
    SpareContainers spares = cluster.spares();
    if (spares != null) {
      if (spares.missingCount() > 0) {
        decision.emit(new CancelRequests(spares.role(), spares.missingCount()));
      }
      spares.held().forEach(one -> decision.emit(new ReleaseContainer(one.container())));
      decision.noteCluster(cluster.withSpares(null));
    }
  }

  /**
   * Restarts the gang with more tasks if this checkpoint completes its set and answers the request
   * that was made for growing, and if the gang may still grow.
   */
  static void checkpointSaved(DecisionBuilder decision, CheckpointFact.CheckpointSaved fact) {
    JobState before = decision.state();
    SpareContainers spares = before.clusterView().spares();
    if (spares == null
        || !fact.completesSet()
        || !spares.awaitsCheckpoint(before.job().limits(), decision.at())
        || !fact.answersRequestOf(Objects.requireNonNull(spares.checkpointRequestedAt()))
        || before.phase() != Phase.RUNNING
        || !mayGrow(before)) {
      return;
    }
    RoleSpec role = before.job().role(spares.role().name());
    int instances = role.instances() + spares.held().size();
    String reason = "there is room for more tasks, and " + fact.displayName() + " is kept";
    int attempt = before.gang().attempt() + 1;
    decision.noteCluster(before.clusterView().withSpares(null));
    RootCauseAnalysis.conclude(decision);
    decision.record(
        new ResizeFact.Resized(
            role.name(), role.instances(), instances, attempt, Map.of(), reason));
    TaskId chief = before.job().chief();
    decision.record(
        new GangFact.Restarted(
            chief,
            FailureKind.RESIZED,
            reason,
            0,
            attempt,
            RetryBudgetOwner.NOBODY,
            before.tasks().containerCount(),
            before.tasks().get(chief).state().holdsContainer(),
            before.tasks().get(chief).node(),
            new ArrayList<>(before.rolesDoneForGood(chief))));
    decision.emit(new CancelTimer(Timer.GROWTH));
    RestartActions.commandExecutors(decision, before, false);
    RestartActions.awaitGang(decision, before);
    decision.emit(new CancelRequests(spares.role(), spares.held().size()));
    spares.held().forEach(one -> GangStart.containerAllocated(decision, one));
  }
}
