package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.SetTimer;
import io.tony.fact.CheckpointFact;
import io.tony.fact.GangFact;
import io.tony.fact.Payer;
import io.tony.fact.SizeFact;
import io.tony.model.FailureKind;
import io.tony.model.ResourceSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gangs that go on with fewer tasks where they cannot have all. One that lacks containers starts
 * with those that it has, after a wait, or at once where YARN has just taken some. One that runs
 * with fewer tasks than it wants looks now and then whether the queue has room: then its programs
 * are asked for a checkpoint, and it starts again from it with more.
 */
final class Elastic {
  private static final int MOST_DOUBLINGS = 5;

  private Elastic() {}

  // ---- Fewer ----

  /** Sets the timer that bounds the wait for containers that the gang can do without. */
  static void awaitContainers(Draft draft) {
    if (lacks(draft.state())) {
      draft.act(new SetTimer(Timer.ELASTIC, draft.state().job().limits().elasticity().patience()));
    }
  }

  private static boolean lacks(JobState state) {
    return state.job().roles().stream()
        .anyMatch(
            role -> role.isElastic() && state.tasks().count(role.name(), TaskState.REQUESTED) > 0);
  }

  /** The gang has waited long enough for more than it needs. */
  static void waited(Draft draft) {
    if (!settle(draft, "YARN did not give more")) {
      awaitContainers(draft);
    }
  }

  /**
   * Goes on with the containers that are there, where they are enough.
   *
   * @param why they are no more, in words
   */
  static boolean settle(Draft draft, String why) {
    JobState state = draft.state();
    List<RoleSpec> shrinking = new ArrayList<>();
    for (RoleSpec role : state.job().roles()) {
      if (state.tasks().count(role.name(), TaskState.REQUESTED) > 0) {
        if (!role.isElastic() || held(state, role) < role.least()) {
          return false;
        }
        shrinking.add(role);
      }
    }
    if (state.phase() != Phase.ALLOCATING || shrinking.isEmpty() || !Attempts.mayBeFree(state)) {
      return false;
    }
    shrinking.forEach(role -> shrink(draft, role, why));
    Starting.whenAllocated(draft);
    Starting.startIfAllAreThere(draft);
    return true;
  }

  private static int held(JobState state, RoleSpec role) {
    int held = 0;
    for (Task task : state.tasks().of(role.name())) {
      held += task.state().holdsContainer() ? 1 : 0;
    }
    return held;
  }

  private static int heldBesides(JobState state, RoleSpec role, Task one) {
    Task now = state.tasks().get(one.id());
    return held(state, role) - (now.state().holdsContainer() ? 1 : 0);
  }

  private static void shrink(Draft draft, RoleSpec role, String why) {
    JobState before = draft.state();
    int instances = held(before, role);
    Map<Integer, Integer> moved = moves(before.tasks().of(role.name()), instances);
    int attempt = before.gang().attempt() + (moved.isEmpty() ? 0 : 1);
    draft.record(
        new SizeFact.Resized(role.name(), role.instances(), instances, attempt, moved, why));
    draft.act(new CancelRequests(role, before.tasks().count(role.name(), TaskState.REQUESTED)));
    moved.forEach(
        (from, to) -> {
          Task task = before.tasks().get(new TaskId(role.name(), from));
          draft.act(
              new RestartTask(
                  task.key(),
                  new TaskId(role.name(), to),
                  attempt,
                  "it takes the place of a task without a container",
                  false));
        });
  }

  /** Tasks beyond the last one that stays take the places of those that have no container. */
  private static Map<Integer, Integer> moves(List<Task> tasks, int instances) {
    Iterator<Integer> places =
        tasks.subList(0, instances).stream()
            .filter(task -> !task.state().holdsContainer())
            .map(task -> task.id().index())
            .iterator();
    Map<Integer, Integer> moves = new TreeMap<>();
    for (Task task : tasks.subList(instances, tasks.size())) {
      if (task.state().holdsContainer()) {
        moves.put(task.id().index(), places.next());
      }
    }
    return moves;
  }

  /**
   * Whether the gang can do without the task's container, which is lost while its program ran, or
   * soon after: then nobody pays for the loss.
   */
  static boolean canDoWithout(JobState state, Task task, TaskFailure failure) {
    RoleSpec role = state.role(task);
    boolean taken =
        (failure.kind() == FailureKind.LOST || failure.kind() == FailureKind.PREEMPTED)
            && !failure.portTaken();
    return role.isElastic()
        && taken
        && (task.started() || task.kept())
        && heldBesides(state, role, task) >= role.least()
        && Attempts.mayBeFree(state);
  }

  // ---- More ----

  /** The gang runs: sets the timer after which it asks for more, where it wants more. */
  static void planGrowth(Draft draft) {
    JobState state = draft.state();
    if (state.job().roles().stream().anyMatch(role -> role.instances() < role.most())) {
      Duration interval = state.job().limits().elasticity().growth();
      int doublings = Math.min(state.gang().size().changes(), MOST_DOUBLINGS);
      draft.act(new SetTimer(Timer.GROWTH, interval.multipliedBy(1L << doublings)));
    }
  }

  /** It has trained long enough with fewer tasks than it wants. */
  static void mayGrow(Draft draft) {
    JobState state = draft.state();
    if (state.phase() != Phase.RUNNING) {
      return; // planned again when it runs
    }
    Map<String, Integer> room = room(state);
    if (state.lacksContainers() || !mayGrowNow(state) || room.isEmpty()) {
      planGrowth(draft);
      return;
    }
    Map.Entry<String, Integer> first = room.entrySet().iterator().next();
    draft.record(new SizeFact.Grows(first.getKey(), first.getValue()));
    Preemption.askGang(draft, draft.at());
    planGrowth(draft); // where no checkpoint comes
  }

  /** Nobody pays for it, and no task has done its work already. */
  private static boolean mayGrowNow(JobState state) {
    boolean nears =
        state.job().roles().stream()
            .filter(role -> role.supervision() == Supervision.TRACKED)
            .filter(role -> !state.job().awaited().contains(role.name()))
            .anyMatch(role -> state.tasks().ended(role.name()) > 0);
    return !nears && Attempts.mayBeFree(state);
  }

  /** How many tasks the roles could have that want more, by what the queue has left. */
  private static Map<String, Integer> room(JobState state) {
    ResourceSpec free = state.clusterView().free();
    Map<String, Integer> room = new LinkedHashMap<>();
    for (RoleSpec role : state.job().roles()) {
      if (free != null && role.instances() < role.most()) {
        long more = Math.min(role.most() - role.instances(), fits(role.resource(), free));
        if (more > 0) {
          room.put(role.name(), (int) (role.instances() + more));
        }
      }
    }
    return room;
  }

  /** By memory and by what else is asked for; many schedulers do not count vcores. */
  private static long fits(ResourceSpec one, ResourceSpec free) {
    long fits = free.memoryMiB() / one.memoryMiB();
    for (Map.Entry<String, Long> other : one.others().entrySet()) {
      if (other.getValue() > 0) {
        fits = Math.min(fits, free.others().getOrDefault(other.getKey(), 0L) / other.getValue());
      }
    }
    return fits;
  }

  /** What was asked of an earlier ApplicationMaster's gang, and may not have got across. */
  static void askAgain(Draft draft) {
    GangSize.Growth growth = growth(draft);
    if (growth != null) {
      Preemption.askGang(draft, growth.at());
    }
  }

  /** Whether its programs have been asked for a checkpoint, to grow from. */
  static boolean isAsked(Draft draft) {
    return growth(draft) != null;
  }

  private static GangSize.Growth growth(Draft draft) {
    GangSize.Growth growth = draft.state().gang().size().growth();
    return growth == null || !growth.counts(draft.state().job().limits(), draft.at())
        ? null
        : growth;
  }

  /** A checkpoint is in the cluster: the gang may go on from it with more tasks. */
  static void kept(Draft draft, CheckpointFact.Kept fact) {
    JobState before = draft.state();
    GangSize.Growth growth = growth(draft);
    boolean may =
        fact.asked()
            && fact.whole()
            && growth != null
            && before.phase() == Phase.RUNNING
            && mayGrowNow(before);
    if (!may) {
      return;
    }
    RoleSpec role = before.job().role(growth.role());
    String why = "the queue has room for more tasks, and " + fact.words() + " is kept";
    int attempt = before.gang().attempt() + 1;
    FirstCauses.conclude(draft);
    draft.record(
        new SizeFact.Resized(
            role.name(), role.instances(), growth.instances(), attempt, Map.of(), why));
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
            true,
            before.tasks().get(chief).node(),
            new ArrayList<>(before.job().awaited())));
    draft.act(new CancelTimer(Timer.GROWTH));
    NextStart.commands(draft, before, false);
    NextStart.awaitGang(draft, before);
  }
}
