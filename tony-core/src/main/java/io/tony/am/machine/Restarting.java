package io.tony.am.machine;

import io.tony.am.machine.Action.RestartTask;
import io.tony.fact.GangFact;
import io.tony.fact.Payer;
import io.tony.fact.TaskFact;
import io.tony.failure.SecondaryFailure;
import io.tony.model.FailureKind;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;

/**
 * How tasks are started again: one that nobody has seen yet, one alone while the others go on, or
 * the gang. Whatever is healthy keeps its container and its executor; only programs end. Each of
 * these answers false, and does nothing, where the budget for such failures is spent.
 */
final class Restarting {
  private Restarting() {}

  /** Where a task starts again, and whether it waits for the others. */
  private enum How {
    REPLACED,
    KEPT_ALONE,
    NEW_ALONE;

    boolean kept() {
      return this == KEPT_ALONE;
    }
  }

  // ---- At whose expense ----

  /** Nothing where nobody pays for it any more. */
  static Optional<Payer> payer(JobState state, Task task, TaskFailure failure) {
    if (failure.ofTheMaster() || Elastic.canDoWithout(state, task, failure)) {
      return Optional.of(Payer.NOBODY);
    }
    // A program that ran is a loss of its own; what only waits falls with the others.
    if (!task.started()
        && !failure.ofTheProgram()
        && state.gang().hasPaidFor(task, failure.kind())) {
      return Optional.of(Payer.INCIDENT);
    }
    return state.budget().left(failure.kind()) > 0 ? Optional.of(Payer.JOB) : Optional.empty();
  }

  /** What is left of the budget for such failures, once this one is paid for. */
  private static int left(JobState state, TaskFailure failure, Payer payer) {
    FailureKind kind = failure.ofTheMaster() ? FailureKind.LOST : failure.kind();
    return state.budget().left(kind) - (payer == Payer.JOB ? 1 : 0);
  }

  // ---- One task ----

  /**
   * A task ended before its program was started, and gets another container; the others are kept.
   * Where they do not wait for it, its role pays as long as it can.
   */
  static boolean replace(Draft draft, Task task, TaskFailure failure) {
    if (draft.state().waitsForNobody(task) && forItsRole(draft, task, failure, false)) {
      return true;
    }
    Optional<Payer> payer = payer(draft.state(), task, failure);
    boolean without = Elastic.canDoWithout(draft.state(), task, failure);
    payer.ifPresent(by -> replace(draft, task, failure, by));
    if (without) {
      Elastic.settleSoon(draft);
    }
    return payer.isPresent();
  }

  static void replace(Draft draft, Task task, TaskFailure failure, Payer payer) {
    restart(draft, task, failure, How.REPLACED, payer, left(draft.state(), failure, payer));
  }

  /** A task that the others do not need. {@code healthy} is whether its executor is there. */
  static boolean alone(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    boolean may = task.started() || draft.state().goesOnWithout(task);
    return may
        && (blameless(draft, task, failure, healthy)
            || forItsRole(draft, task, failure, healthy)
            || asMember(draft, task, failure, healthy));
  }

  /**
   * A lost port or checkpoint is nobody's fault, nor is what YARN took with an ApplicationMaster:
   * neither the role pays for it, nor a sidecar's user.
   */
  private static boolean blameless(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    RoleSpec role = draft.state().role(task);
    boolean independent = role.retries() > 0 || role.supervision() == Supervision.SIDECAR;
    boolean blameless = failure.blameless() && healthy;
    if (!independent || !(blameless || failure.ofTheMaster())) {
      return false;
    }
    Payer payer = blameless ? Payer.JOB : Payer.NOBODY;
    int left = left(draft.state(), failure, payer);
    if (left < 0) {
      return false;
    }
    restart(draft, task, failure, how(draft, task, healthy), payer, left);
    return true;
  }

  /** A container that is smaller than its role now asks for, or that YARN takes, is not kept. */
  private static How how(Draft draft, Task task, boolean healthy) {
    return healthy && draft.state().keepsContainer(task, draft.at())
        ? How.KEPT_ALONE
        : How.NEW_ALONE;
  }

  private static boolean forItsRole(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    int left = draft.state().role(task).retries() - task.retries() - 1;
    if (left < 0 || !failure.retriable()) {
      return false;
    }
    restart(draft, task, failure, how(draft, task, healthy), Payer.ROLE, left);
    return true;
  }

  /**
   * The others go on without it until it is back. One that hangs, or fails because of another, is
   * not the one to start again: the gang is.
   */
  private static boolean asMember(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    JobState state = draft.state();
    boolean ofAnother = failure.hung() || !SecondaryFailure.of(failure.fact(state, task)).isEmpty();
    boolean needed = failure.ofTheProgram() || !Joining.isOver(state, task);
    Optional<Payer> payer =
        task.started() && needed && !ofAnother && Joining.canMiss(state, task)
            ? payer(state, task, failure)
            : Optional.empty();
    payer.ifPresent(
        by -> {
          Growing.giveBack(draft); // a member rather than one more
          restart(draft, task, failure, how(draft, task, healthy), by, left(state, failure, by));
        });
    return payer.isPresent();
  }

  private static void restart(
      Draft draft, Task task, TaskFailure failure, How how, Payer payer, int left) {
    JobState before = draft.state();
    int attempt = before.gang().attempt() + 1;
    boolean alone = how != How.REPLACED || task.alone();
    Growth growth = Growth.after(before, task, failure);
    draft.record(
        new TaskFact.Restarted(
            task.id(),
            failure.kind(),
            growth.message(),
            left,
            attempt,
            how.kept(),
            alone,
            payer,
            !task.started(),
            task.node(),
            growth.memory()));
    if (how.kept()) {
      draft.act(new RestartTask(task.key(), attempt, "it is started again"));
    } else {
      NextStart.discard(draft, task);
      NextStart.requests(draft, before);
      Starting.awaitContainers(draft);
    }
    if (alone && !task.alone() && !task.started()) {
      Starting.startIfAllAreThere(draft); // the others wait for it no longer
    }
    // Else the gang soon goes on without the container.
    if (payer != Payer.NOBODY || alone) {
      avoidAfterLoss(draft, task.node(), failure);
    }
  }

  /**
   * YARN is going to take its container, which is given back: it starts again by itself in another
   * one, at nobody's expense.
   */
  static void moveAlone(Draft draft, Task task, String message) {
    Growing.giveBack(draft);
    JobState before = draft.state();
    draft.record(
        new TaskFact.Restarted(
            task.id(),
            FailureKind.PREEMPTED,
            message,
            before.role(task).retries() - task.retries(),
            before.gang().attempt() + 1,
            false,
            true,
            Payer.NOBODY,
            false,
            task.node(),
            null));
    NextStart.giveBack(draft, task);
    NextStart.requests(draft, before);
    Starting.awaitContainers(draft);
  }

  static void avoidAfterLoss(Draft draft, String node, TaskFailure failure) {
    if (failure.kind() == FailureKind.LOST && !failure.blameless() && !node.isEmpty()) {
      Avoidance.avoid(draft, node);
    }
  }

  // ---- The gang ----

  /**
   * Starts the gang again, in the same containers as far as they are there.
   *
   * @param healthy whether the executor of the failed task is still there
   */
  static boolean gang(Draft draft, Task failed, TaskFailure failure, boolean healthy) {
    Optional<Payer> payer = payer(draft.state(), failed, failure);
    payer.ifPresent(
        by -> {
          gang(draft, failed, failure, healthy, by);
          avoidAfterLoss(draft, failed.node(), failure);
        });
    return payer.isPresent();
  }

  /**
   * Starts the gang again for a loss that was paid for when its task started again by itself; it
   * may have another container since.
   */
  static void gangToo(Draft draft, Task lost) {
    TaskFailure failure = TaskFailure.of(lost.fault().loss());
    Optional<Payer> payer =
        Attempts.mayBeFree(draft.state())
            ? Optional.of(Payer.NOBODY)
            : payer(draft.state(), lost, failure);
    boolean healthy = lost.state().holdsContainer();
    payer.ifPresent(by -> gang(draft, lost, failure, healthy, by));
  }

  private static void gang(
      Draft draft, Task failed, TaskFailure failure, boolean healthy, Payer payer) {
    JobState before = draft.state();
    boolean without = Elastic.canDoWithout(before, failed, failure);
    FirstCauses.conclude(draft);
    Growth growth = Growth.after(before, failed, failure);
    JobState grown = growth.applied(before, failed);
    Set<String> waiting = grown.waitingAgain(failed.id());
    boolean keeps =
        healthy
            && grown.keepsContainer(failed, draft.at())
            && !waiting.contains(failed.id().role());
    draft.record(
        new GangFact.Restarted(
            failed.id(),
            failure.kind(),
            growth.message(),
            left(before, failure, payer),
            before.gang().attempt() + 1,
            payer,
            kept(grown, draft.at(), waiting) + (keeps && !isThere(before, failed) ? 1 : 0),
            keeps,
            failed.node(),
            new ArrayList<>(before.doneForGood(failed.id())),
            growth.memory()));
    NextStart.commands(draft, before, failure.hung());
    if (!keeps && !failed.container().isEmpty()) {
      NextStart.discard(draft, failed);
    }
    NextStart.awaitGang(draft, before);
    if (without) {
      Elastic.settleSoon(draft);
    }
  }

  /**
   * YARN is going to take containers, which are given back: the gang starts again without them, at
   * nobody's expense.
   *
   * @param going one of the tasks in them
   */
  static void moveGang(Draft draft, Task going, String message) {
    JobState before = draft.state();
    FirstCauses.conclude(draft);
    draft.record(
        new GangFact.Restarted(
            going.id(),
            FailureKind.PREEMPTED,
            message,
            before.budget().left(FailureKind.PREEMPTED),
            before.gang().attempt() + 1,
            Payer.NOBODY,
            kept(before, draft.at(), before.waitingAgain(going.id())),
            false,
            going.node(),
            new ArrayList<>(before.doneForGood(going.id()))));
    NextStart.commands(draft, before, false);
    NextStart.awaitGang(draft, before);
    Elastic.settle(draft, "YARN takes containers");
  }

  /** False for a task that has just failed: its container is no longer counted. */
  private static boolean isThere(JobState state, Task task) {
    return state.tasks().get(task.id()).state().holdsContainer();
  }

  /** How many of the containers that are there stay; none of the roles that wait again. */
  private static int kept(JobState grown, Instant now, Set<String> waiting) {
    int kept = 0;
    for (Task task : grown.tasks()) {
      boolean stays =
          task.state().holdsContainer()
              && grown.keepsContainer(task, now)
              && !waiting.contains(task.id().role());
      kept += stays ? 1 : 0;
    }
    return kept;
  }
}
