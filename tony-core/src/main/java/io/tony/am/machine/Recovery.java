package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.AmReady;
import io.tony.model.ClusterSpec;
import io.tony.model.JobEvent;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A later ApplicationMaster takes over what its predecessor left: the state comes from the event
 * log ({@link Replay}), the containers that live from YARN. What lives goes on; what does not has
 * failed.
 */
final class Recovery {
  private Recovery() {}

  static Decision takeOver(JobState state, AmReady event) {
    if (event.attempt() == 1) {
      throw new IllegalStateException(event + " cannot happen in phase " + state.phase());
    }
    JobEvent started =
        Facts.job(state, event, JobEvent.Type.AM_STARTED)
            .with("attempt", event.attempt())
            .with("host", event.host())
            .with("tasks", state.tasks().size())
            .with("running", alive(state, event, TaskState.RUNNING))
            .event();
    Decision taken =
        Decision.of(state, new AppendEvent(started))
            .then(now -> new Decision(now, releaseUnknown(now, event)));
    return switch (state.phase()) {
      case STOPPING -> taken.then(now -> goOnStopping(now, event));
      case NEW, ALLOCATING, BACKING_OFF, REGISTERING, RUNNING, FINISHED ->
          taken
              .then(now -> new Decision(now, wishes(now, event)))
              .then(now -> failLost(now, event))
              .then(now -> new Decision(now, commands(state, now, event)))
              .then(now -> goOn(now, event))
              .then(now -> ends(now) ? Decision.unchanged(now) : Outcomes.groupTimers(now));
    };
  }

  private static long alive(JobState state, AmReady event, TaskState wanted) {
    return state.tasks().stream()
        .filter(task -> task.state() == wanted && event.alive().contains(task.container()))
        .count();
  }

  /** What lives that the log does not know, or that was replaced, is nobody's. */
  private static List<Action> releaseUnknown(JobState state, AmReady event) {
    Set<String> unknown = new HashSet<>(event.alive());
    state.tasks().forEach(task -> unknown.remove(task.container()));
    return unknown.stream().sorted().<Action>map(ReleaseContainer::new).toList();
  }

  /** YARN forgot what was owed. */
  private static List<Action> wishes(JobState state, AmReady event) {
    List<Action> actions = new ArrayList<>();
    for (RoleSpec role : state.job().roles()) {
      int owed = state.tasks().count(role.name(), TaskState.REQUESTED);
      if (owed > 0) {
        actions.add(new RequestContainers(role, owed));
      }
    }
    if (!state.around().avoided().isEmpty()) {
      actions.add(new AvoidNodes(state.around().avoided()));
    }
    actions.addAll(applicationTimer(state, event));
    return actions;
  }

  /** What the predecessor may not have got across: every command that still holds is told again. */
  private static List<Action> commands(JobState before, JobState state, AmReady event) {
    List<Action> actions = new ArrayList<>();
    ClusterSpec cluster =
        state.tasks().count(TaskState.RUNNING) > 0 ? state.tasks().cluster() : null;
    for (Task task : state.tasks()) {
      boolean same = task.equals(before.tasks().get(task.id()));
      if (!same || !event.alive().contains(task.container())) {
        continue;
      }
      if (task.state() == TaskState.RUNNING) {
        actions.add(Starting.startTask(state, task, Starting.clusterFor(state, task, cluster)));
      } else if (task.kept()) {
        actions.add(new RestartTask(task.key(), task.attempt(), "it starts again"));
      } else if (task.state().ended()) {
        actions.add(new StopTask(task.key(), "its work is done"));
        actions.add(new StopContainer(task.key()));
      }
    }
    return actions;
  }

  private static List<Action> applicationTimer(JobState state, AmReady event) {
    Duration limit = state.job().limits().application();
    if (limit.isZero()) {
      return List.of();
    }
    Duration left = limit.minus(Duration.between(state.startedAt(), event.at()));
    return Starting.timer(Timer.APPLICATION, left.toMillis() > 0 ? left : Duration.ofMillis(1));
  }

  /** All losses are noted before the first is acted upon: what is lost is not kept. */
  private static Decision failLost(JobState state, AmReady event) {
    List<Task> lost = lost(state, event);
    return Decision.forEach(state, lost, (now, task) -> noteLoss(now, event, task))
        .then(noted -> Decision.forEach(noted, lost, (now, task) -> actUpon(now, event, task)));
  }

  /** The tasks whose containers are gone with the predecessor. */
  private static List<Task> lost(JobState state, AmReady event) {
    return state.tasks().stream()
        .filter(task -> task.state().holdsContainer())
        .filter(task -> !event.alive().contains(task.container()))
        .toList();
  }

  private static Decision noteLoss(JobState state, AmReady event, Task lost) {
    Task next = lost.in(TaskState.FAILED);
    TaskFailure failure = TaskFailure.goneWithMaster(lost);
    return Decision.of(state.with(next), new AppendEvent(failure.fact(state, event, next)));
  }

  private static Decision actUpon(JobState state, AmReady event, Task lost) {
    Task now = state.tasks().get(lost.id());
    boolean open = now.state() == TaskState.FAILED && now.attempt() == lost.attempt();
    if (!open || ends(state)) {
      return Decision.unchanged(state);
    }
    TaskFailure failure = TaskFailure.goneWithMaster(lost);
    return lost.started()
        ? Outcomes.afterFailure(state, event, lost, failure, false)
        : Restarting.replace(state, event, lost, failure, true).orElseThrow();
  }

  private static boolean ends(JobState state) {
    return state.phase() == Phase.STOPPING || state.phase() == Phase.FINISHED;
  }

  /** Sets the timers of the phase anew; those of the predecessor are gone with it. */
  private static Decision goOn(JobState state, AmReady event) {
    return switch (state.phase()) {
      case ALLOCATING -> Starting.awaitContainers(state, Phase.NEW);
      case BACKING_OFF ->
          new Decision(state, Starting.timer(Timer.ALLOCATION, state.job().limits().allocation()))
              .then(now -> BackingOff.over(now, event));
      case REGISTERING ->
          new Decision(state, Starting.awaitExecutors(state))
              .then(now -> Starting.whenRegistered(now, event));
      case RUNNING -> awaitRestarted(state).then(now -> Starting.request(now, event));
      case NEW, STOPPING, FINISHED -> Decision.unchanged(state);
    };
  }

  /** In a gang that runs, only tasks that start again alone are without container or executor. */
  private static Decision awaitRestarted(JobState state) {
    Decision awaited =
        state.tasks().count(TaskState.REQUESTED) > 0
            ? Starting.awaitContainers(state, Phase.NEW)
            : Decision.unchanged(state);
    return state.tasks().count(TaskState.LAUNCHING) > 0
        ? awaited.then(now -> new Decision(now, Starting.awaitExecutors(now)))
        : awaited;
  }

  private static Decision goOnStopping(JobState state, AmReady event) {
    return new Decision(state, Stopping.tellTasks(state, "the job is stopping"))
        .then(
            told ->
                Decision.forEach(
                    told,
                    lost(state, event),
                    (now, task) -> Stopping.taskGone(now, event, task.key())))
        .then(now -> Stopping.conclude(now, event));
  }
}
