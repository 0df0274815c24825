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
import java.util.Objects;

/**
 * Handles YARN's announcements that it will preempt containers. The programs that would have to
 * restart are asked for a checkpoint. When a checkpoint that answers the request is saved, the
 * containers are given back, and the programs resume from the checkpoint elsewhere. Without a
 * checkpoint, the programs run on until YARN takes the containers or withdraws the announcement.
 */
final class Preemption {
  private Preemption() {}

  static void announced(DecisionBuilder decision, PreemptionNotice event) {
    boolean gang = false;
    for (TaskKey key : event.tasks()) {
      Task task = JobMachine.taskInContainer(decision.state(), key);
      if (task != null
          && isNeeded(decision.state(), task)
          && !isPreemptionExpected(decision, task)) {
        decision.record(new io.tony.event.PreemptionAnnounced(task.id(), task.node()));
        gang |= !requestTaskCheckpoint(decision, task, event.at());
      }
    }
    if (gang) {
      requestGangCheckpoint(decision, event.at());
    }
  }

  /**
   * Returns true if the task holds a container and is not a sidecar; the loss of a sidecar's work
   * does not matter.
   */
  private static boolean isNeeded(JobState state, Task task) {
    return task.state().holdsContainer() && state.role(task).supervision() != Supervision.SIDECAR;
  }

  /**
   * Returns true if the task's program can be asked for a checkpoint now: it runs, and the task is
   * not a sidecar. A program that does not run yet is asked when it starts.
   */
  private static boolean isNotifiable(JobState state, Task task) {
    return task.isRunning() && isNeeded(state, task);
  }

  private static boolean isPreemptionExpected(DecisionBuilder decision, Task task) {
    return task.isPreemptionExpected(decision.state().job().limits(), decision.at());
  }

  /**
   * Asks again for the checkpoints of announced preemptions, because the earlier requests may not
   * have reached the programs: they were made before these programs started, or by an earlier
   * ApplicationMaster.
   *
   * @param tasks tasks whose announced preemptions are considered
   */
  static void requestCheckpointsAgain(DecisionBuilder decision, Iterable<Task> tasks) {
    Instant latest = null;
    for (Task task : tasks) {
      Instant announcedAt = task.preemptionAnnouncedAt();
      if (announcedAt != null
          && isNeeded(decision.state(), task)
          && isPreemptionExpected(decision, task)
          && !requestTaskCheckpoint(decision, task, announcedAt)) {
        latest = latest == null || announcedAt.isAfter(latest) ? announcedAt : latest;
      }
    }
    if (latest != null) {
      requestGangCheckpoint(decision, latest);
    }
  }

  /**
   * Returns true if the task restarts alone after a preemption, and then asks its program, if it
   * runs, for a checkpoint. Returns false, and asks nothing, if the task restarts with its gang:
   * then the caller must ask all programs.
   */
  private static boolean requestTaskCheckpoint(
      DecisionBuilder decision, Task task, Instant requestedAt) {
    boolean alone = restartsAlone(decision.state(), task);
    if (alone && isNotifiable(decision.state(), task)) {
      decision.emit(new RequestCheckpoint(task.key(), requestedAt));
    }
    return alone;
  }

  /**
   * Asks all running programs for a checkpoint, because the whole gang will restart. Also asks
   * tasks that could restart alone: one of them may be the task that saves the gang's checkpoint.
   */
  static void requestGangCheckpoint(DecisionBuilder decision, Instant requestedAt) {
    JobState state = decision.state();
    for (Task task : state.tasks()) {
      if (isNotifiable(state, task)) {
        decision.emit(new RequestCheckpoint(task.key(), requestedAt));
      }
    }
  }

  private static boolean restartsAlone(JobState state, Task task) {
    return task.retries() < state.role(task).maxTaskRetries();
  }

  /**
   * Gives back the containers with an announced preemption, and restarts their tasks elsewhere, if
   * this saved checkpoint answers the request that was made for them.
   */
  static void checkpointSaved(DecisionBuilder decision, CheckpointFact.CheckpointSaved fact) {
    JobState state = decision.state();
    // While a failure waits for its cause, a free restart would hide the failure, and no budget
    // would be charged for it.
    boolean hasPendingFailure = PendingFailures.arePending(state);
    boolean isStopping = state.phase() == Phase.STOPPING;
    if (fact.requestedAt() == null
        || isStopping
        || hasPendingFailure
        || !AttemptLimits.allowsFreeRestart(state)) {
      return;
    }
    if (fact.completesSet()) {
      relocateTogether(decision, fact);
    }
    TaskTable now = decision.state().tasks();
    Task task = now.contains(fact.task()) ? now.get(fact.task()) : null;
    if (task != null
        && restartsAlone(decision.state(), task)
        && isLeaving(decision, task)
        && answersNotice(fact, task)) {
      RestartPolicy.relocateTask(decision, task, message(List.of(task), fact));
    }
  }

  private static void relocateTogether(
      DecisionBuilder decision, CheckpointFact.CheckpointSaved fact) {
    JobState state = decision.state();
    List<Task> leaving =
        state.tasks().stream()
            .filter(one -> isLeaving(decision, one) && !restartsAlone(state, one))
            .filter(one -> !LiveResize.isRoleWorkDone(state, one))
            .filter(one -> answersNotice(fact, one))
            .toList();
    if (!leaving.isEmpty()) {
      relocate(decision, leaving, message(leaving, fact));
    }
  }

  private static void relocate(DecisionBuilder decision, List<Task> leaving, String message) {
    if (LiveResize.canRunWithout(decision.state(), leaving)) {
      leaving.forEach(task -> RestartPolicy.relocateTask(decision, task, message));
    } else {
      RestartPolicy.relocateGang(decision, leaving.get(0), message);
    }
  }

  private static boolean isLeaving(DecisionBuilder decision, Task task) {
    return isNotifiable(decision.state(), task) && isPreemptionExpected(decision, task);
  }

  /** Returns true if the checkpoint answers the request for this task, which is leaving. */
  private static boolean answersNotice(CheckpointFact.CheckpointSaved fact, Task leaving) {
    return fact.answersRequestOf(Objects.requireNonNull(leaving.preemptionAnnouncedAt()));
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
   * Returns the failure as one of kind PREEMPTED if the program may have ended because of the
   * signal that asks programs for a checkpoint: the job uses such a signal, the program ended by
   * itself, and a checkpoint was requested because of a preemption or in order to grow. Otherwise
   * returns {@code failure}.
   *
   * @param failure the failure as it is without regard to the signal
   */
  static TaskFailure reclassify(
      DecisionBuilder decision, Task task, TaskFailure failure, Event.Exit exit) {
    JobState state = decision.state();
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
            .anyMatch(one -> isNeeded(state, one) && isPreemptionExpected(decision, one));
    return expected || ElasticScaleUp.isCheckpointRequested(decision)
        ? failure.afterSignal()
        : failure;
  }
}
