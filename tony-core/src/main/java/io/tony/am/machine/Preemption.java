package io.tony.am.machine;

import io.tony.am.machine.Action.RequestCheckpoint;
import io.tony.am.machine.Event.PreemptionNotice;
import io.tony.event.CheckpointFact;
import io.tony.model.FailureKind;
import io.tony.model.ProgramSignal;
import io.tony.model.Supervision;
import io.tony.model.TaskKey;
import java.time.Instant;
import java.util.List;

/**
 * What follows when YARN announces that it takes containers. The programs are told. When a
 * checkpoint is kept that they named upon that, the containers are given back, and the programs go
 * on from it elsewhere. Without one they train on: YARN takes the containers, or changes its mind.
 */
final class Preemption {
  private Preemption() {}

  static void announced(DecisionBuilder draft, PreemptionNotice event) {
    boolean gang = false;
    for (TaskKey key : event.tasks()) {
      Task task = JobMachine.taskInContainer(draft.state(), key);
      if (task != null && isNeeded(draft.state(), task) && !isPreemptionExpected(draft, task)) {
        draft.record(new io.tony.event.PreemptionAnnounced(task.id(), task.node()));
        gang |= !requestTaskCheckpoint(draft, task, event.at());
      }
    }
    if (gang) {
      requestGangCheckpoint(draft, event.at());
    }
  }

  /** Nobody misses a sidecar. */
  private static boolean isNeeded(JobState state, Task task) {
    return task.state().holdsContainer() && state.role(task).supervision() != Supervision.SIDECAR;
  }

  /** Of one that is not, the program is told when it is started. */
  private static boolean isNotifiable(JobState state, Task task) {
    return task.started() && isNeeded(state, task);
  }

  private static boolean isPreemptionExpected(DecisionBuilder draft, Task task) {
    return task.isPreempted(draft.state().job().limits(), draft.at());
  }

  /**
   * What was announced before the programs of these tasks were started; or to an earlier
   * ApplicationMaster, and may not have got across.
   */
  static void requestCheckpointsAgain(DecisionBuilder draft, Iterable<Task> tasks) {
    Instant latest = null;
    for (Task task : tasks) {
      boolean open = isNeeded(draft.state(), task) && isPreemptionExpected(draft, task);
      if (open && !requestTaskCheckpoint(draft, task, task.preemptionAnnouncedAt())) {
        boolean later = latest == null || task.preemptionAnnouncedAt().isAfter(latest);
        latest = later ? task.preemptionAnnouncedAt() : latest;
      }
    }
    if (latest != null) {
      requestGangCheckpoint(draft, latest);
    }
  }

  /** False for a task that is started again with its gang: then all are to be told. */
  private static boolean requestTaskCheckpoint(
      DecisionBuilder draft, Task task, Instant requestedAt) {
    boolean alone = restartsAlone(draft.state(), task);
    if (alone && isNotifiable(draft.state(), task)) {
      draft.emit(new RequestCheckpoint(task.key(), requestedAt));
    }
    return alone;
  }

  /**
   * Asks all programs for a checkpoint: when the gang starts again all do, also those of tasks that
   * could start again by themselves, which may keep the checkpoint.
   */
  static void requestGangCheckpoint(DecisionBuilder draft, Instant requestedAt) {
    JobState state = draft.state();
    for (Task task : state.tasks()) {
      if (isNotifiable(state, task)) {
        draft.emit(new RequestCheckpoint(task.key(), requestedAt));
      }
    }
  }

  private static boolean restartsAlone(JobState state, Task task) {
    return task.retries() < state.role(task).maxTaskRetries();
  }

  /** A checkpoint is in the cluster: nothing is lost by those whose containers go. */
  static void checkpointSaved(DecisionBuilder draft, CheckpointFact.CheckpointSaved fact) {
    JobState state = draft.state();
    boolean hasPendingFailure = PendingFailures.arePending(state); // which nobody would pay for
    boolean isStopping = state.phase() == Phase.STOPPING;
    if (fact.requestedAt() == null
        || isStopping
        || hasPendingFailure
        || !AttemptLimits.allowsFreeRestart(state)) {
      return;
    }
    if (fact.completesSet()) {
      relocateTogether(draft, fact);
    }
    TaskTable now = draft.state().tasks();
    Task task = now.contains(fact.task()) ? now.get(fact.task()) : null;
    if (task != null
        && restartsAlone(draft.state(), task)
        && isLeaving(draft, task)
        && fact.answersRequestOf(task.preemptionAnnouncedAt())) {
      RestartPolicy.relocateTask(draft, task, message(List.of(task), fact));
    }
  }

  private static void relocateTogether(DecisionBuilder draft, CheckpointFact.CheckpointSaved fact) {
    JobState state = draft.state();
    List<Task> leaving =
        state.tasks().stream()
            .filter(one -> isLeaving(draft, one) && !restartsAlone(state, one))
            .filter(one -> !LiveResize.isRoleWorkDone(state, one))
            .filter(one -> fact.answersRequestOf(one.preemptionAnnouncedAt()))
            .toList();
    if (!leaving.isEmpty()) {
      relocate(draft, leaving, message(leaving, fact));
    }
  }

  private static void relocate(DecisionBuilder draft, List<Task> leaving, String message) {
    if (LiveResize.canRunWithout(draft.state(), leaving)) {
      leaving.forEach(task -> RestartPolicy.relocateTask(draft, task, message));
    } else {
      RestartPolicy.relocateGang(draft, leaving.get(0), message);
    }
  }

  private static boolean isLeaving(DecisionBuilder draft, Task task) {
    return isNotifiable(draft.state(), task) && isPreemptionExpected(draft, task);
  }

  private static String message(List<Task> leaving, CheckpointFact.CheckpointSaved fact) {
    int others = leaving.size() - 1;
    return "YARN is going to take the container of "
        + leaving.get(0).id()
        + (others == 0 ? "" : others == 1 ? " and of 1 other" : " and of " + others + " others")
        + ": it is given back, now that "
        + fact.displayName()
        + " is kept";
  }

  /**
   * A program that was asked by a signal may end upon it, and has not failed then.
   *
   * @param failure how it ended, as it seems
   */
  static TaskFailure reclassify(
      DecisionBuilder draft, Task task, TaskFailure failure, Event.Exit exit) {
    JobState state = draft.state();
    boolean mayEndOnSignal =
        state.job().limits().checkpointRequests().signal() != ProgramSignal.NONE
            && failure.kind() == FailureKind.PROGRAM
            && exit.byItself()
            && isNeeded(state, task);
    if (!mayEndOnSignal) {
      return failure;
    }
    boolean expected =
        state.tasks().stream()
            .filter(one -> one.id().equals(task.id()) || !restartsAlone(state, one))
            .anyMatch(one -> isNeeded(state, one) && isPreemptionExpected(draft, one));
    return expected || ElasticScaleUp.isCheckpointRequested(draft)
        ? failure.afterSignal()
        : failure;
  }
}
