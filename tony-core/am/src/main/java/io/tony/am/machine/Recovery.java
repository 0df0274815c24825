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
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Takes a job over from an earlier ApplicationMaster. The job's state comes from the event log
 * ({@link JobStateReducer}), the set of live containers from YARN. Tasks with live containers
 * continue; a task whose container is gone has failed.
 */
final class Recovery {
  private Recovery() {}

  static void takeOver(DecisionBuilder decision, AmReady event) {
    JobState before = decision.state();
    if (event.attempt() == 1) {
      throw new IllegalStateException(event + " cannot happen in phase " + before.phase());
    }
    int running = 0;
    for (Task task : before.tasks()) {
      running += task.isRunning() && event.liveContainers().contains(task.container()) ? 1 : 0;
    }
    decision.record(
        new JobFact.MasterStarted(
            event.attempt(), event.host(), before.tasks().size(), running, event.launchTimes()));
    decision.emit(new PublishAddress());
    decision.noteCluster(before.clusterView().withMaxContainerMiB(event.maxContainerMiB()));
    releaseUnknown(decision, event);
    if (before.phase() == Phase.STOPPING) {
      resumeStopping(decision, event);
    } else {
      requestContainers(decision);
      awaitContainers(decision);
      failLost(decision, event);
      resendCommands(decision, before, event);
      Preemption.requestCheckpointsAgain(decision, decision.state().tasks());
      resume(decision);
      if (!isEnding(decision.state())) {
        TaskCompletion.setGroupTimers(decision);
      }
    }
  }

  /**
   * Releases live containers that no task has according to the event log: containers of replaced
   * tasks, and containers whose allocation the earlier ApplicationMaster had not recorded yet.
   */
  private static void releaseUnknown(DecisionBuilder decision, AmReady event) {
    Set<String> unknown = new HashSet<>(event.liveContainers());
    decision.state().tasks().forEach(task -> unknown.remove(task.container()));
    decision.emit(unknown.stream().sorted().map(ReleaseContainer::new).toList());
  }

  /**
   * Requests the missing containers again, because YARN drops the requests of a lost
   * ApplicationMaster. Also restores the avoided nodes and the timer of the whole job.
   */
  private static void requestContainers(DecisionBuilder decision) {
    JobState state = decision.state();
    for (RoleSpec role : state.job().roles()) {
      int pending = state.tasks().count(role.name(), TaskState.REQUESTED);
      if (pending > 0) {
        decision.emit(new RequestContainers(role, pending));
      }
    }
    restoreAvoidedNodes(decision);
    setApplicationTimer(decision);
  }

  /**
   * Tells YARN which nodes to avoid. YARN keeps avoiding the nodes that an earlier
   * ApplicationMaster named, and forgives a node only if this ApplicationMaster has named it
   * before. Therefore names the forgiven nodes, too, and then withdraws them.
   */
  private static void restoreAvoidedNodes(DecisionBuilder decision) {
    ClusterView cluster = decision.state().clusterView();
    if (!cluster.forgiven().isEmpty()) {
      decision.emit(new AvoidNodes(cluster.everAvoided()));
    }
    if (!cluster.everAvoided().isEmpty()) {
      decision.emit(new AvoidNodes(cluster.avoided()));
    }
  }

  /**
   * Sets the timer of the job's time limit to the remaining time; never to more than the full
   * limit, even if the clock was set back.
   */
  private static void setApplicationTimer(DecisionBuilder decision) {
    Duration limit = decision.state().job().limits().application();
    if (!limit.isZero()) {
      Duration elapsed = Duration.between(decision.state().startedAt(), decision.at());
      Duration remaining = elapsed.isNegative() ? limit : limit.minus(elapsed);
      decision.emit(
          GangStart.timerUnlessZero(
              Timer.APPLICATION, remaining.toMillis() > 0 ? remaining : Duration.ofMillis(1)));
    }
  }

  /**
   * Records the failure of each task whose container is gone, and then handles these failures. All
   * are recorded before the first one is handled, so that no restart keeps a lost container. Tasks
   * that the job may continue without are handled last: their handling checks whether the job still
   * waits for any task.
   */
  private static void failLost(DecisionBuilder decision, AmReady event) {
    List<Task> lost = lostTasks(decision.state(), event);
    for (Task task : lost) {
      RootCauseAnalysis.recordLossBeforeTakeover(decision, task, failureOf(task, event));
    }
    JobState noted = decision.state();
    Map<Boolean, List<Task>> byNeed =
        lost.stream()
            .collect(
                Collectors.partitioningBy(
                    task ->
                        TaskCompletion.mayContinueWithout(noted, task, failureOf(task, event))));
    Objects.requireNonNull(byNeed.get(false)).forEach(task -> handleLoss(decision, task, event));
    Objects.requireNonNull(byNeed.get(true)).forEach(task -> handleLoss(decision, task, event));
  }

  /** Returns the tasks whose containers did not survive the earlier ApplicationMaster. */
  private static List<Task> lostTasks(JobState state, AmReady event) {
    return state.tasks().stream()
        .filter(task -> task.state().holdsContainer())
        .filter(task -> !event.liveContainers().contains(task.container()))
        .toList();
  }

  private static TaskFailure failureOf(Task lost, AmReady event) {
    return TaskFailure.lostWithMaster(lost, event.endedContainers().get(lost.container()));
  }

  /**
   * Handles the loss of a task's container, unless the handling of another loss has already
   * restarted or removed the task. A task whose program had not started gets another container free
   * of charge.
   */
  private static void handleLoss(DecisionBuilder decision, Task lost, AmReady event) {
    TaskFailure failure = failureOf(lost, event);
    TaskTable tasks = decision.state().tasks();
    // The task does not exist any more if the gang has shrunk because of another loss.
    Task now = tasks.contains(lost.id()) ? tasks.get(lost.id()) : null;
    boolean open =
        now != null && now.state() == TaskState.FAILED && now.attempt() == lost.attempt();
    if (!open || isEnding(decision.state())) {
      // The handling of another loss has restarted the task or ended the job.
      return;
    }
    if (lost.isRunning() || LiveResize.isJoining(decision.state(), lost)) {
      TaskCompletion.handleFailure(decision, lost, failure, false);
    } else {
      RestartPolicy.replaceContainer(decision, lost, failure, RetryBudgetOwner.NOBODY);
    }
  }

  private static boolean isEnding(JobState state) {
    return state.phase() == Phase.STOPPING || state.phase() == Phase.FINISHED;
  }

  /**
   * Repeats the commands to the live executors (start, restart or stop) that follow from the event
   * log, because the earlier ApplicationMaster may not have delivered them. Skips tasks that have
   * changed during this takeover.
   */
  private static void resendCommands(DecisionBuilder decision, JobState before, AmReady event) {
    JobState state = decision.state();
    ClusterSpec cluster = state.tasks().cluster();
    for (Task task : state.tasks()) {
      boolean unchanged =
          before.tasks().contains(task.id()) && task.equals(before.tasks().get(task.id()));
      if (!unchanged || !event.liveContainers().contains(task.container())) {
        continue;
      }
      if (task.state().ended()) {
        stopExecutor(decision, task);
      } else if (task.state() == TaskState.RUNNING && !isEnding(state)) {
        decision.emit(GangStart.startTask(state, task, GangStart.clusterFor(state, task, cluster)));
      } else if (task.inSameContainer() && !isEnding(state)) {
        decision.emit(new RestartTask(task.key(), task.attempt(), "it starts again"));
      }
    }
  }

  /** Stops the executor and the container of an ended task. */
  private static void stopExecutor(DecisionBuilder decision, Task task) {
    decision.emit(new StopTask(task.key(), "its work is done"));
    decision.emit(new StopContainer(task.key()));
  }

  /**
   * Sets the timers for the wait for containers, because those of the earlier ApplicationMaster are
   * gone. Called before losses are handled, because their handling changes these timers.
   */
  private static void awaitContainers(DecisionBuilder decision) {
    if (decision.state().tasks().count(TaskState.REQUESTED) > 0) {
      GangStart.awaitContainers(decision);
    }
  }

  private static void resume(DecisionBuilder decision) {
    switch (decision.state().phase()) {
      case BACKING_OFF -> GangStart.requestAfterBackoff(decision);
      case RUNNING -> ElasticScaleUp.schedule(decision);
      case NEW, ALLOCATING, REGISTERING, STOPPING, FINISHED -> {}
    }
  }

  private static void resumeStopping(DecisionBuilder decision, AmReady event) {
    for (Task task : decision.state().tasks()) {
      if (task.state().ended() && event.liveContainers().contains(task.container())) {
        stopExecutor(decision, task);
      }
    }
    JobShutdown.stopTasks(decision, "the job is stopping", false);
    for (Task task : lostTasks(decision.state(), event)) {
      JobShutdown.taskGone(decision, task.key());
    }
  }
}
