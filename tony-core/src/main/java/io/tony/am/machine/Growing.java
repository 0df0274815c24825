package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.SetTimer;
import io.tony.fact.CheckpointFact;
import io.tony.fact.GangFact;
import io.tony.fact.Payer;
import io.tony.fact.SizeFact;
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
 * Where tasks join while the others run ({@link Joining}), it asks for one container after another.
 * It does not go by what YARN says that the queue has left: of an application that asks for
 * nothing, YARN does not keep that up to date.
 */
final class Growing {
  private static final int MOST_DOUBLINGS = 5;
  private static final Duration SOON = Duration.ofSeconds(1);

  private Growing() {}

  /** The gang runs: sets the timer after which it asks for more, where it wants more. */
  static void plan(Draft draft) {
    JobState state = draft.state();
    Duration interval = state.job().limits().elasticity().growth();
    int doublings = Math.min(state.gang().resizes().count(), MOST_DOUBLINGS);
    plan(draft, interval.multipliedBy(1L << doublings));
  }

  /** A task has joined: there may be room for the next one. */
  static void planSoon(Draft draft) {
    plan(draft, SOON);
  }

  private static void plan(Draft draft, Duration after) {
    if (draft.state().job().roles().stream().anyMatch(role -> role.instances() < role.most())) {
      draft.act(new SetTimer(Timer.GROWTH, after));
    }
  }

  /** It has trained, or waited, for long enough. */
  static void goOn(Draft draft) {
    JobState state = draft.state();
    if (state.phase() != Phase.RUNNING) {
      return; // planned again when it runs
    }
    Spares spares = state.clusterView().spares();
    if (spares == null && mayGrow(state)) {
      askForContainers(draft);
    } else if (spares == null
        || spares.asked() != null
        || spares.held().isEmpty()
        || !mayGrow(state)) {
      if (spares != null && spares.held().isEmpty()) {
        Avoidance.forgive(draft); // it may be for the nodes that are avoided that none comes
      }
      giveBack(draft); // neither room, nor a checkpoint
      plan(draft);
    } else {
      growInto(draft, spares);
    }
  }

  /**
   * Nobody pays for it, every task is there, and none has done its work already. A gang that is to
   * start again would wait for a sidecar, too; one that a task joins does not.
   */
  private static boolean mayGrow(JobState state) {
    boolean ends =
        state.job().roles().stream()
            .filter(role -> role.supervision() == Supervision.TRACKED)
            .filter(role -> !state.job().awaited().contains(role.name()))
            .anyMatch(role -> state.tasks().ended(role.name()) > 0);
    boolean waits = lacks(state, TaskState.REQUESTED) || lacks(state, TaskState.LAUNCHING);
    boolean fails = !state.gang().incident().pending().isEmpty();
    return !ends && !waits && !fails && Attempts.mayBeFree(state);
  }

  private static boolean lacks(JobState state, TaskState missing) {
    return state.job().limits().elasticity().joins()
        ? state.misses(missing)
        : state.tasks().count(missing) > 0;
  }

  private static void askForContainers(Draft draft) {
    JobState state = draft.state();
    for (RoleSpec role : state.job().roles()) {
      int missing = role.most() - role.instances();
      if (missing > 0) {
        int more = Joining.joins(state, role) ? 1 : missing;
        draft.see(state.clusterView().holding(new Spares(role, more, List.of(), null)));
        draft.act(new RequestContainers(role, more));
        draft.act(new SetTimer(Timer.GROWTH, state.job().limits().elasticity().patience()));
        return; // one role at a time
      }
    }
  }

  /** Whether the container, which no task waits for, is one to grow into. */
  static boolean wants(JobState state, Event.ContainerAllocated event) {
    Spares spares = state.clusterView().spares();
    return spares != null
        && spares.asked() == null
        && spares.role().name().equals(event.role())
        && spares.missing() > 0
        && state.phase() == Phase.RUNNING;
  }

  /** One that it wants. */
  static void take(Draft draft, Event.ContainerAllocated event) {
    ClusterView cluster = draft.state().clusterView();
    Spares more = cluster.spares().with(event);
    draft.see(cluster.holding(more));
    if (more.missing() == 0 && mayGrow(draft.state())) {
      growInto(draft, more);
    }
  }

  private static void growInto(Draft draft, Spares spares) {
    if (Joining.joins(draft.state(), spares.role())) {
      Joining.join(draft, spares);
    } else {
      askForCheckpoint(draft, spares);
    }
  }

  private static void askForCheckpoint(Draft draft, Spares spares) {
    JobState state = draft.state();
    if (spares.missing() > 0) {
      draft.act(new CancelRequests(spares.role(), spares.missing()));
    }
    draft.see(state.clusterView().holding(spares.complete(draft.at())));
    String role = spares.role().name();
    int instances = state.job().role(role).instances() + spares.held().size();
    draft.record(new SizeFact.Grows(role, instances));
    Preemption.askGang(draft, draft.at());
    draft.act(new SetTimer(Timer.GROWTH, state.job().limits().asking().counts()));
  }

  /** A container is gone before anything was launched in it. */
  static void gone(Draft draft, Event.ContainerGone event) {
    ClusterView cluster = draft.state().clusterView();
    Spares spares = cluster.spares();
    if (spares != null && spares.holds(event.container())) {
      draft.see(cluster.holding(spares.without(event.container())));
      if (spares.asked() == null) {
        draft.act(new RequestContainers(spares.role(), 1));
      }
    }
  }

  /** Whether its programs have been asked for a checkpoint, to grow from. */
  static boolean isAsked(Draft draft) {
    JobState state = draft.state();
    return state.gang().resizes().isAsked(state.job().limits().asking().counts(), draft.at());
  }

  /** The gang starts again for another reason, or ends: the containers are for others. */
  static void giveBack(Draft draft) {
    ClusterView cluster = draft.state().clusterView();
    Spares spares = cluster.spares();
    if (spares != null) {
      if (spares.missing() > 0) {
        draft.act(new CancelRequests(spares.role(), spares.missing()));
      }
      spares.held().forEach(one -> draft.act(new ReleaseContainer(one.container())));
      draft.see(cluster.holding(null));
    }
  }

  /** A checkpoint is in the cluster: the gang may go on from it with more tasks. */
  static void kept(Draft draft, CheckpointFact.Kept fact) {
    JobState before = draft.state();
    Spares spares = before.clusterView().spares();
    boolean may =
        fact.whole()
            && spares != null
            && spares.awaitsAnswer(before.job().limits(), draft.at())
            && fact.answers(spares.asked())
            && before.phase() == Phase.RUNNING
            && mayGrow(before);
    if (!may) {
      return;
    }
    RoleSpec role = before.job().role(spares.role().name());
    int instances = role.instances() + spares.held().size();
    String why = "there is room for more tasks, and " + fact.words() + " is kept";
    int attempt = before.gang().attempt() + 1;
    draft.see(before.clusterView().holding(null));
    FirstCauses.conclude(draft);
    draft.record(
        new SizeFact.Resized(role.name(), role.instances(), instances, attempt, Map.of(), why));
    TaskId chief = before.job().chief();
    draft.record(
        new GangFact.Restarted(
            chief,
            FailureKind.RESIZED,
            why,
            0,
            attempt,
            Payer.NOBODY,
            before.tasks().holdingContainers(),
            before.tasks().get(chief).state().holdsContainer(),
            before.tasks().get(chief).node(),
            new ArrayList<>(before.doneForGood(chief))));
    draft.act(new CancelTimer(Timer.GROWTH));
    NextStart.commands(draft, before, false);
    NextStart.awaitGang(draft, before);
    draft.act(new CancelRequests(spares.role(), spares.held().size()));
    spares.held().forEach(one -> Starting.allocated(draft, one));
  }
}
