package io.tony.am.machine;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.Action.PublishAddress;
import io.tony.am.machine.Action.ReleaseContainer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.am.machine.Event.AmReady;
import io.tony.event.JobFact;
import io.tony.event.RetryBudgetOwner;
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
 * log ({@link JobStateReducer}), the containers that live from YARN. What lives goes on; what does
 * not has failed.
 */
final class Recovery {
  private Recovery() {}

  static void takeOver(DecisionBuilder draft, AmReady event) {
    JobState before = draft.state();
    if (event.attempt() == 1) {
      throw new IllegalStateException(event + " cannot happen in phase " + before.phase());
    }
    int running = 0;
    for (Task task : before.tasks()) {
      running += task.started() && event.liveContainers().contains(task.container()) ? 1 : 0;
    }
    draft.record(
        new JobFact.MasterStarted(
            event.attempt(), event.host(), before.tasks().size(), running, event.origin()));
    draft.emit(new PublishAddress());
    draft.noteCluster(before.clusterView().withMaxContainerMiB(event.maxContainerMiB()));
    releaseUnknown(draft, event);
    if (before.phase() == Phase.STOPPING) {
      resumeStopping(draft, event);
    } else {
      requestContainers(draft);
      awaitContainers(draft);
      failLost(draft, event);
      resendCommands(draft, before, event);
      Preemption.requestCheckpointsAgain(draft, draft.state().tasks());
      resume(draft);
      if (!isEnding(draft.state())) {
        TaskCompletion.setGroupTimers(draft);
      }
    }
  }

  /** What lives that the log does not know, or that was replaced, is nobody's. */
  private static void releaseUnknown(DecisionBuilder draft, AmReady event) {
    Set<String> unknown = new HashSet<>(event.liveContainers());
    draft.state().tasks().forEach(task -> unknown.remove(task.container()));
    draft.emit(unknown.stream().sorted().map(ReleaseContainer::new).toList());
  }

  /** YARN forgot what was pending. */
  private static void requestContainers(DecisionBuilder draft) {
    JobState state = draft.state();
    for (RoleSpec role : state.job().roles()) {
      int pending = state.tasks().count(role.name(), TaskState.REQUESTED);
      if (pending > 0) {
        draft.emit(new RequestContainers(role, pending));
      }
    }
    restoreAvoidedNodes(draft);
    setApplicationTimer(draft);
  }

  /**
   * YARN goes on to avoid what an earlier ApplicationMaster has named. It forgives a node for this
   * one only after this one has named it, too.
   */
  private static void restoreAvoidedNodes(DecisionBuilder draft) {
    ClusterView cluster = draft.state().clusterView();
    if (!cluster.forgiven().isEmpty()) {
      draft.emit(new AvoidNodes(cluster.everAvoided()));
    }
    if (!cluster.everAvoided().isEmpty()) {
      draft.emit(new AvoidNodes(cluster.avoided()));
    }
  }

  /** Time counts on; a clock that was set back meanwhile gives no more of it. */
  private static void setApplicationTimer(DecisionBuilder draft) {
    Duration limit = draft.state().job().limits().application();
    if (!limit.isZero()) {
      Duration elapsed = Duration.between(draft.state().startedAt(), draft.at());
      Duration remaining = elapsed.isNegative() ? limit : limit.minus(elapsed);
      draft.emit(
          GangStart.timerUnlessZero(
              Timer.APPLICATION, remaining.toMillis() > 0 ? remaining : Duration.ofMillis(1)));
    }
  }

  /**
   * All losses are noted before the first is acted upon: what is lost is not kept. Until it is
   * acted upon it counts as ended. So those that the job can do without come last: upon them it is
   * asked whether anything is still open.
   */
  private static void failLost(DecisionBuilder draft, AmReady event) {
    List<Task> lost = lostTasks(draft.state(), event);
    for (Task task : lost) {
      RootCauseAnalysis.noteLossBeforeTakeover(draft, task, failureOf(task, event));
    }
    JobState noted = draft.state();
    Map<Boolean, List<Task>> byNeed =
        lost.stream()
            .collect(
                Collectors.partitioningBy(
                    task ->
                        TaskCompletion.mayContinueWithout(noted, task, failureOf(task, event))));
    byNeed.get(false).forEach(task -> handleLoss(draft, task, event));
    byNeed.get(true).forEach(task -> handleLoss(draft, task, event));
  }

  /** The tasks whose containers are gone with the predecessor. */
  private static List<Task> lostTasks(JobState state, AmReady event) {
    return state.tasks().stream()
        .filter(task -> task.state().holdsContainer())
        .filter(task -> !event.liveContainers().contains(task.container()))
        .toList();
  }

  private static TaskFailure failureOf(Task lost, AmReady event) {
    return TaskFailure.lostWithMaster(lost, event.endedContainers().get(lost.container()));
  }

  /** What had not started is replaced at nobody's expense. */
  private static void handleLoss(DecisionBuilder draft, Task lost, AmReady event) {
    TaskFailure failure = failureOf(lost, event);
    TaskTable tasks = draft.state().tasks();
    Task now = tasks.contains(lost.id()) ? tasks.get(lost.id()) : null; // it may do without it
    boolean open =
        now != null && now.state() == TaskState.FAILED && now.attempt() == lost.attempt();
    if (!open || isEnding(draft.state())) {
      return; // decided with another
    }
    if (lost.started() || LiveResize.isJoining(draft.state(), lost)) {
      TaskCompletion.afterFailure(draft, lost, failure, false);
    } else {
      RestartPolicy.tryReplaceContainer(draft, lost, failure, RetryBudgetOwner.NOBODY);
    }
  }

  private static boolean isEnding(JobState state) {
    return state.phase() == Phase.STOPPING || state.phase() == Phase.FINISHED;
  }

  /** What the predecessor may not have got across: every command that still holds is told again. */
  private static void resendCommands(DecisionBuilder draft, JobState before, AmReady event) {
    JobState state = draft.state();
    ClusterSpec cluster = state.tasks().cluster();
    for (Task task : state.tasks()) {
      boolean unchanged =
          before.tasks().contains(task.id()) && task.equals(before.tasks().get(task.id()));
      if (!unchanged || !event.liveContainers().contains(task.container())) {
        continue;
      }
      if (task.state().ended()) {
        stopExecutor(draft, task);
      } else if (task.state() == TaskState.RUNNING && !isEnding(state)) {
        draft.emit(GangStart.startTask(state, task, GangStart.clusterFor(state, task, cluster)));
      } else if (task.inSameContainer() && !isEnding(state)) {
        draft.emit(new RestartTask(task.key(), task.attempt(), "it starts again"));
      }
    }
  }

  /** The executor of a task that has ended. */
  private static void stopExecutor(DecisionBuilder draft, Task task) {
    draft.emit(new StopTask(task.key(), "its work is done"));
    draft.emit(new StopContainer(task.key()));
  }

  /**
   * Sets the timers of the wait anew, before what is lost may change them; those of the predecessor
   * are gone with it.
   */
  private static void awaitContainers(DecisionBuilder draft) {
    if (draft.state().tasks().count(TaskState.REQUESTED) > 0) {
      GangStart.awaitContainers(draft);
    }
  }

  private static void resume(DecisionBuilder draft) {
    switch (draft.state().phase()) {
      case BACKING_OFF -> GangStart.requestAfterBackoff(draft);
      case RUNNING -> ElasticScaleUp.schedule(draft);
      case NEW, ALLOCATING, REGISTERING, STOPPING, FINISHED -> {}
    }
  }

  private static void resumeStopping(DecisionBuilder draft, AmReady event) {
    for (Task task : draft.state().tasks()) {
      if (task.state().ended() && event.liveContainers().contains(task.container())) {
        stopExecutor(draft, task);
      }
    }
    JobShutdown.stopTasks(draft, "the job is stopping", false);
    for (Task task : lostTasks(draft.state(), event)) {
      JobShutdown.taskGone(draft, task.key());
    }
  }
}
