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

/**
 * How an elastic gang that runs with fewer tasks than it wants gets more. Now and then it asks for
 * the rest of its containers, and trains on. When some have come its programs are asked for a
 * checkpoint; when that is kept it starts again from it, in the containers that it has and those.
 * Where tasks join while the others run ({@link LiveResize}), it asks for one container after
 * another. It does not go by what YARN says that the queue has left: of an application that asks
 * for nothing, YARN does not keep that up to date.
 */
final class ElasticScaleUp {
  private static final int MAX_DOUBLINGS = 5;
  private static final Duration NEXT_TASK_DELAY = Duration.ofSeconds(1);

  private ElasticScaleUp() {}

  /** The gang runs: sets the timer after which it asks for more, where it wants more. */
  static void schedule(DecisionBuilder draft) {
    JobState state = draft.state();
    Duration interval = state.job().limits().elasticity().growInterval();
    int doublings = Math.min(state.gang().resizes().count(), MAX_DOUBLINGS);
    schedule(draft, interval.multipliedBy(1L << doublings));
  }

  /** A task has joined: there may be room for the next one. */
  static void scheduleNextTask(DecisionBuilder draft) {
    schedule(draft, NEXT_TASK_DELAY);
  }

  private static void schedule(DecisionBuilder draft, Duration delay) {
    if (draft.state().job().roles().stream()
        .anyMatch(role -> role.instances() < role.maxInstances())) {
      draft.emit(new SetTimer(Timer.GROWTH, delay));
    }
  }

  /** It has trained, or waited, for long enough. */
  static void growthTimerFired(DecisionBuilder draft) {
    JobState state = draft.state();
    if (state.phase() != Phase.RUNNING) {
      return; // planned again when it runs
    }
    SpareContainers spares = state.clusterView().spares();
    if (spares == null && mayGrow(state)) {
      requestContainers(draft);
    } else if (spares == null
        || spares.checkpointRequestedAt() != null
        || spares.held().isEmpty()
        || !mayGrow(state)) {
      if (spares != null && spares.held().isEmpty()) {
        NodeAvoidance.forgive(draft); // it may be for the nodes that are avoided that none comes
      }
      releaseSpares(draft); // neither room, nor a checkpoint
      schedule(draft);
    } else {
      growInto(draft, spares);
    }
  }

  /**
   * Nobody pays for it, every task is there, and none has done its work already. A gang that is to
   * start again would wait for a sidecar, too; one that a task joins does not.
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

  private static void requestContainers(DecisionBuilder draft) {
    JobState state = draft.state();
    for (RoleSpec role : state.job().roles()) {
      int missing = role.maxInstances() - role.instances();
      if (missing > 0) {
        int more = LiveResize.supportsLiveResize(state, role) ? 1 : missing;
        draft.noteCluster(
            state.clusterView().withSpares(new SpareContainers(role, more, List.of(), null)));
        draft.emit(new RequestContainers(role, more));
        draft.emit(new SetTimer(Timer.GROWTH, state.job().limits().elasticity().waitTimeout()));
        return; // one role at a time
      }
    }
  }

  /** Whether the container, which no task waits for, is one to grow into. */
  static boolean accepts(JobState state, Event.ContainerAllocated event) {
    SpareContainers spares = state.clusterView().spares();
    return spares != null
        && spares.checkpointRequestedAt() == null
        && spares.role().name().equals(event.role())
        && spares.missingCount() > 0
        && state.phase() == Phase.RUNNING;
  }

  /** One that it wants. */
  static void addSpare(DecisionBuilder draft, Event.ContainerAllocated event) {
    ClusterView cluster = draft.state().clusterView();
    SpareContainers more = cluster.spares().with(event);
    draft.noteCluster(cluster.withSpares(more));
    if (more.missingCount() == 0 && mayGrow(draft.state())) {
      growInto(draft, more);
    }
  }

  private static void growInto(DecisionBuilder draft, SpareContainers spares) {
    if (LiveResize.supportsLiveResize(draft.state(), spares.role())) {
      LiveResize.join(draft, spares);
    } else {
      requestCheckpoint(draft, spares);
    }
  }

  private static void requestCheckpoint(DecisionBuilder draft, SpareContainers spares) {
    JobState state = draft.state();
    if (spares.missingCount() > 0) {
      draft.emit(new CancelRequests(spares.role(), spares.missingCount()));
    }
    draft.noteCluster(state.clusterView().withSpares(spares.withCheckpointRequested(draft.at())));
    String role = spares.role().name();
    int instances = state.job().role(role).instances() + spares.held().size();
    draft.record(new ResizeFact.ScaleUpPlanned(role, instances));
    Preemption.requestGangCheckpoint(draft, draft.at());
    draft.emit(new SetTimer(Timer.GROWTH, state.job().limits().checkpointRequests().validity()));
  }

  /** A container is gone before anything was launched in it. */
  static void spareLost(DecisionBuilder draft, Event.ContainerGone event) {
    ClusterView cluster = draft.state().clusterView();
    SpareContainers spares = cluster.spares();
    if (spares != null && spares.holds(event.container())) {
      draft.noteCluster(cluster.withSpares(spares.withoutContainer(event.container())));
      if (spares.checkpointRequestedAt() == null) {
        draft.emit(new RequestContainers(spares.role(), 1));
      }
    }
  }

  /** Whether its programs have been asked for a checkpoint, to grow from. */
  static boolean isCheckpointRequested(DecisionBuilder draft) {
    JobState state = draft.state();
    return state
        .gang()
        .resizes()
        .isCheckpointRequested(state.job().limits().checkpointRequests().validity(), draft.at());
  }

  /** The gang starts again for another reason, or ends: the containers are for others. */
  static void releaseSpares(DecisionBuilder draft) {
    ClusterView cluster = draft.state().clusterView();
    SpareContainers spares = cluster.spares();
    if (spares != null) {
      if (spares.missingCount() > 0) {
        draft.emit(new CancelRequests(spares.role(), spares.missingCount()));
      }
      spares.held().forEach(one -> draft.emit(new ReleaseContainer(one.container())));
      draft.noteCluster(cluster.withSpares(null));
    }
  }

  /** A checkpoint is in the cluster: the gang may go on from it with more tasks. */
  static void checkpointSaved(DecisionBuilder draft, CheckpointFact.CheckpointSaved fact) {
    JobState before = draft.state();
    SpareContainers spares = before.clusterView().spares();
    boolean mayRestart =
        fact.completesSet()
            && spares != null
            && spares.awaitsCheckpoint(before.job().limits(), draft.at())
            && fact.answersRequestOf(spares.checkpointRequestedAt())
            && before.phase() == Phase.RUNNING
            && mayGrow(before);
    if (!mayRestart) {
      return;
    }
    RoleSpec role = before.job().role(spares.role().name());
    int instances = role.instances() + spares.held().size();
    String reason = "there is room for more tasks, and " + fact.displayName() + " is kept";
    int attempt = before.gang().attempt() + 1;
    draft.noteCluster(before.clusterView().withSpares(null));
    RootCauseAnalysis.conclude(draft);
    draft.record(
        new ResizeFact.Resized(
            role.name(), role.instances(), instances, attempt, Map.of(), reason));
    TaskId chief = before.job().chief();
    draft.record(
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
    draft.emit(new CancelTimer(Timer.GROWTH));
    RestartActions.commandExecutors(draft, before, false);
    RestartActions.awaitGang(draft, before);
    draft.emit(new CancelRequests(spares.role(), spares.held().size()));
    spares.held().forEach(one -> GangStart.containerAllocated(draft, one));
  }
}
