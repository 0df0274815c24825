package io.tony.am.machine;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.Action.PublishAddress;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.AmReady;
import io.tony.fact.JobFact;
import io.tony.fact.Payer;
import io.tony.model.ClusterSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A later ApplicationMaster takes over what its predecessor left: the state comes from the event
 * log ({@link Fold}), the containers that live from YARN. What lives goes on; what does not has
 * failed.
 */
final class Recovery {
  private Recovery() {}

  static void takeOver(Draft draft, AmReady event) {
    JobState before = draft.state();
    if (event.attempt() == 1) {
      throw new IllegalStateException(event + " cannot happen in phase " + before.phase());
    }
    int running = 0;
    for (Task task : before.tasks()) {
      running += task.started() && event.alive().contains(task.container()) ? 1 : 0;
    }
    draft.record(
        new JobFact.MasterStarted(
            event.attempt(), event.host(), before.tasks().size(), running, event.origin()));
    draft.act(new PublishAddress());
    draft.see(before.clusterView().withLargest(event.largest()));
    releaseUnknown(draft, event);
    if (before.phase() == Phase.STOPPING) {
      goOnStopping(draft, event);
    } else {
      requests(draft);
      awaitContainers(draft);
      failLost(draft, event);
      commands(draft, before, event);
      Preemption.tellAgain(draft, draft.state().tasks());
      goOn(draft);
      if (!ends(draft.state())) {
        Outcomes.groupTimers(draft);
      }
    }
  }

  /** What lives that the log does not know, or that was replaced, is nobody's. */
  private static void releaseUnknown(Draft draft, AmReady event) {
    Set<String> unknown = new HashSet<>(event.alive());
    draft.state().tasks().forEach(task -> unknown.remove(task.container()));
    draft.act(unknown.stream().sorted().map(ReleaseContainer::new).toList());
  }

  /** YARN forgot what was pending. */
  private static void requests(Draft draft) {
    JobState state = draft.state();
    for (RoleSpec role : state.job().roles()) {
      int pending = state.tasks().count(role.name(), TaskState.REQUESTED);
      if (pending > 0) {
        draft.act(new RequestContainers(role, pending));
      }
    }
    avoid(draft);
    applicationTimer(draft);
  }

  /**
   * YARN goes on to avoid what an earlier ApplicationMaster has named. It forgives a node for this
   * one only after this one has named it, too.
   */
  private static void avoid(Draft draft) {
    ClusterView cluster = draft.state().clusterView();
    if (!cluster.forgiven().isEmpty()) {
      draft.act(new AvoidNodes(cluster.everAvoided()));
    }
    if (!cluster.everAvoided().isEmpty()) {
      draft.act(new AvoidNodes(cluster.avoided()));
    }
  }

  /** Time counts on; a clock that was set back meanwhile gives no more of it. */
  private static void applicationTimer(Draft draft) {
    Duration limit = draft.state().job().limits().application();
    if (!limit.isZero()) {
      Duration taken = Duration.between(draft.state().startedAt(), draft.at());
      Duration left = taken.isNegative() ? limit : limit.minus(taken);
      draft.act(
          Starting.timer(Timer.APPLICATION, left.toMillis() > 0 ? left : Duration.ofMillis(1)));
    }
  }

  /**
   * All losses are noted before the first is acted upon: what is lost is not kept. Until it is
   * acted upon it counts as ended. So those that the job can do without come last: upon them it is
   * asked whether anything is still open.
   */
  private static void failLost(Draft draft, AmReady event) {
    List<Task> lost = lost(draft.state(), event);
    for (Task task : lost) {
      FirstCauses.lostMeanwhile(draft, task, failure(task, event));
    }
    JobState noted = draft.state();
    Map<Boolean, List<Task>> byNeed =
        lost.stream()
            .collect(
                Collectors.partitioningBy(
                    task -> Outcomes.mayLeave(noted, task, failure(task, event))));
    byNeed.get(false).forEach(task -> actUpon(draft, task, event));
    byNeed.get(true).forEach(task -> actUpon(draft, task, event));
  }

  /** The tasks whose containers are gone with the predecessor. */
  private static List<Task> lost(JobState state, AmReady event) {
    return state.tasks().stream()
        .filter(task -> task.state().holdsContainer())
        .filter(task -> !event.alive().contains(task.container()))
        .toList();
  }

  private static TaskFailure failure(Task lost, AmReady event) {
    return TaskFailure.goneWithMaster(lost, event.ended().get(lost.container()));
  }

  /** What had not started is replaced at nobody's expense. */
  private static void actUpon(Draft draft, Task lost, AmReady event) {
    TaskFailure failure = failure(lost, event);
    TaskTable tasks = draft.state().tasks();
    Task now = tasks.contains(lost.id()) ? tasks.get(lost.id()) : null; // it may do without it
    boolean open =
        now != null && now.state() == TaskState.FAILED && now.attempt() == lost.attempt();
    if (!open || ends(draft.state())) {
      return; // decided with another
    }
    if (lost.started() || Joining.isNew(draft.state(), lost)) {
      Outcomes.afterFailure(draft, lost, failure, false);
    } else {
      Restarting.replace(draft, lost, failure, Payer.NOBODY);
    }
  }

  private static boolean ends(JobState state) {
    return state.phase() == Phase.STOPPING || state.phase() == Phase.FINISHED;
  }

  /** What the predecessor may not have got across: every command that still holds is told again. */
  private static void commands(Draft draft, JobState before, AmReady event) {
    JobState state = draft.state();
    ClusterSpec cluster = state.tasks().cluster();
    for (Task task : state.tasks()) {
      boolean same =
          before.tasks().contains(task.id()) && task.equals(before.tasks().get(task.id()));
      if (!same || !event.alive().contains(task.container())) {
        continue;
      }
      if (task.state().ended()) {
        end(draft, task);
      } else if (task.state() == TaskState.RUNNING && !ends(state)) {
        draft.act(Starting.startTask(state, task, Starting.clusterFor(state, task, cluster)));
      } else if (task.kept() && !ends(state)) {
        draft.act(new RestartTask(task.key(), task.attempt(), "it starts again"));
      }
    }
  }

  /** The executor of a task that has ended. */
  private static void end(Draft draft, Task task) {
    draft.act(new StopTask(task.key(), "its work is done"));
    draft.act(new StopContainer(task.key()));
  }

  /**
   * Sets the timers of the wait anew, before what is lost may change them; those of the predecessor
   * are gone with it.
   */
  private static void awaitContainers(Draft draft) {
    if (draft.state().tasks().count(TaskState.REQUESTED) > 0) {
      Starting.awaitContainers(draft);
    }
  }

  private static void goOn(Draft draft) {
    switch (draft.state().phase()) {
      case BACKING_OFF -> Starting.requestAgain(draft);
      case RUNNING -> Growing.plan(draft);
      case NEW, ALLOCATING, REGISTERING, STOPPING, FINISHED -> {}
    }
  }

  private static void goOnStopping(Draft draft, AmReady event) {
    for (Task task : draft.state().tasks()) {
      if (task.state().ended() && event.alive().contains(task.container())) {
        end(draft, task);
      }
    }
    Stopping.tellTasks(draft, "the job is stopping", false);
    for (Task task : lost(draft.state(), event)) {
      Stopping.taskGone(draft, task.key());
    }
  }
}
