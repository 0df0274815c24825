package io.tony.am.machine;

import io.tony.am.machine.Action.AskForCheckpoint;
import io.tony.am.machine.Event.PreemptionAnnounced;
import io.tony.fact.CheckpointFact;
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

  static void announced(Draft draft, PreemptionAnnounced event) {
    boolean gang = false;
    for (TaskKey key : event.tasks()) {
      Task task = JobMachine.inContainer(draft.state(), key);
      if (task != null && matters(draft.state(), task) && !isExpected(draft, task)) {
        draft.record(new io.tony.fact.PreemptionAnnounced(task.id(), task.node()));
        gang |= !tellAlone(draft, task, event.at());
      }
    }
    if (gang) {
      askGang(draft, event.at());
    }
  }

  /** Nobody misses a sidecar. */
  private static boolean matters(JobState state, Task task) {
    return task.state().holdsContainer() && state.role(task).supervision() != Supervision.SIDECAR;
  }

  /** Of one that is not, the program is told when it is started. */
  private static boolean isTold(JobState state, Task task) {
    return task.started() && matters(state, task);
  }

  private static boolean isExpected(Draft draft, Task task) {
    return task.isPreempted(draft.state().job().limits(), draft.at());
  }

  /**
   * What was announced before the programs of these tasks were started; or to an earlier
   * ApplicationMaster, and may not have got across.
   */
  static void tellAgain(Draft draft, Iterable<Task> tasks) {
    Instant latest = null;
    for (Task task : tasks) {
      boolean open = matters(draft.state(), task) && isExpected(draft, task);
      if (open && !tellAlone(draft, task, task.announced())) {
        boolean later = latest == null || task.announced().isAfter(latest);
        latest = later ? task.announced() : latest;
      }
    }
    if (latest != null) {
      askGang(draft, latest);
    }
  }

  /** False for a task that is started again with its gang: then all are to be told. */
  private static boolean tellAlone(Draft draft, Task task, Instant at) {
    boolean alone = startsAlone(draft.state(), task);
    if (alone && isTold(draft.state(), task)) {
      draft.act(new AskForCheckpoint(task.key(), at));
    }
    return alone;
  }

  /**
   * Asks all programs for a checkpoint: when the gang starts again all do, also those of tasks that
   * could start again by themselves, which may keep the checkpoint.
   */
  static void askGang(Draft draft, Instant at) {
    JobState state = draft.state();
    for (Task task : state.tasks()) {
      if (isTold(state, task)) {
        draft.act(new AskForCheckpoint(task.key(), at));
      }
    }
  }

  private static boolean startsAlone(JobState state, Task task) {
    return task.retries() < state.role(task).retries();
  }

  /** A checkpoint is in the cluster: nothing is lost by those whose containers go. */
  static void kept(Draft draft, CheckpointFact.Kept fact) {
    JobState state = draft.state();
    boolean fails = PendingFailures.arePending(state); // which nobody would pay for
    boolean ends = state.phase() == Phase.STOPPING;
    if (fact.asked() == null || ends || fails || !Attempts.mayBeFree(state)) {
      return;
    }
    if (fact.whole()) {
      moveTogether(draft, fact);
    }
    TaskTable now = draft.state().tasks();
    Task task = now.contains(fact.task()) ? now.get(fact.task()) : null;
    if (task != null
        && startsAlone(draft.state(), task)
        && isGoing(draft, task)
        && fact.answers(task.announced())) {
      Restarting.moveAlone(draft, task, words(List.of(task), fact));
    }
  }

  private static void moveTogether(Draft draft, CheckpointFact.Kept fact) {
    JobState state = draft.state();
    List<Task> going =
        state.tasks().stream()
            .filter(one -> isGoing(draft, one) && !startsAlone(state, one))
            .filter(one -> !Joining.isOver(state, one))
            .filter(one -> fact.answers(one.announced()))
            .toList();
    if (!going.isEmpty()) {
      move(draft, going, words(going, fact));
    }
  }

  private static void move(Draft draft, List<Task> going, String words) {
    if (Joining.canMiss(draft.state(), going)) {
      going.forEach(task -> Restarting.moveAlone(draft, task, words));
    } else {
      Restarting.moveGang(draft, going.get(0), words);
    }
  }

  private static boolean isGoing(Draft draft, Task task) {
    return isTold(draft.state(), task) && isExpected(draft, task);
  }

  private static String words(List<Task> going, CheckpointFact.Kept fact) {
    int others = going.size() - 1;
    return "YARN is going to take the container of "
        + going.get(0).id()
        + (others == 0 ? "" : others == 1 ? " and of 1 other" : " and of " + others + " others")
        + ": it is given back, now that "
        + fact.words()
        + " is kept";
  }

  /**
   * A program that was asked by a signal may end upon it, and has not failed then.
   *
   * @param failure how it ended, as it seems
   */
  static TaskFailure judged(Draft draft, Task task, TaskFailure failure, Event.Exit exit) {
    JobState state = draft.state();
    boolean told =
        state.job().limits().asking().signal() != ProgramSignal.NONE
            && failure.kind() == FailureKind.PROGRAM
            && exit.byItself()
            && matters(state, task);
    if (!told) {
      return failure;
    }
    boolean expected =
        state.tasks().stream()
            .filter(one -> one.id().equals(task.id()) || !startsAlone(state, one))
            .anyMatch(one -> matters(state, one) && isExpected(draft, one));
    return expected || Growing.isAsked(draft) ? failure.uponSignal() : failure;
  }
}
