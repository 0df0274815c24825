package io.tony.am.machine;

import io.tony.am.machine.Action.RestartTask;
import io.tony.event.GangFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
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
final class RestartPolicy {
  private RestartPolicy() {}

  /** Where a task starts again, and whether it waits for the others. */
  private enum RestartMode {
    REPLACE_CONTAINER,
    ALONE_SAME_CONTAINER,
    ALONE_NEW_CONTAINER;

    boolean keepsContainer() {
      return this == ALONE_SAME_CONTAINER;
    }
  }

  // ---- At whose expense ----

  /** Nothing where nobody pays for it any more. */
  static Optional<RetryBudgetOwner> chargedTo(JobState state, Task task, TaskFailure failure) {
    if (failure.isMasterLoss() || ElasticPolicy.canDoWithout(state, task, failure)) {
      return Optional.of(RetryBudgetOwner.NOBODY);
    }
    // A program that ran is a loss of its own; what only waits falls with the others.
    if (!task.started()
        && !failure.isProgramFailure()
        && state.gang().isAlreadyCharged(task, failure.kind())) {
      return Optional.of(RetryBudgetOwner.INCIDENT);
    }
    return state.budget().remaining(failure.kind()) > 0
        ? Optional.of(RetryBudgetOwner.JOB)
        : Optional.empty();
  }

  /** What is left of the budget for such failures, once this one is paid for. */
  private static int remaining(JobState state, TaskFailure failure, RetryBudgetOwner chargedTo) {
    FailureKind kind = failure.isMasterLoss() ? FailureKind.LOST : failure.kind();
    return state.budget().remaining(kind) - (chargedTo == RetryBudgetOwner.JOB ? 1 : 0);
  }

  // ---- One task ----

  /**
   * A task ended before its program was started, and gets another container; the others are kept.
   * Where they do not wait for it, its role pays as long as it can.
   */
  static boolean tryReplaceContainer(DecisionBuilder draft, Task task, TaskFailure failure) {
    if (draft.state().startsIndependently(task)
        && tryRestartChargedToRole(draft, task, failure, false)) {
      return true;
    }
    Optional<RetryBudgetOwner> chargedTo = chargedTo(draft.state(), task, failure);
    boolean canShrink = ElasticPolicy.canDoWithout(draft.state(), task, failure);
    chargedTo.ifPresent(owner -> tryReplaceContainer(draft, task, failure, owner));
    if (canShrink) {
      ElasticPolicy.scheduleShrink(draft);
    }
    return chargedTo.isPresent();
  }

  static void tryReplaceContainer(
      DecisionBuilder draft, Task task, TaskFailure failure, RetryBudgetOwner chargedTo) {
    restartTask(
        draft,
        task,
        failure,
        RestartMode.REPLACE_CONTAINER,
        chargedTo,
        remaining(draft.state(), failure, chargedTo));
  }

  /** A task that the others do not need. {@code healthy} is whether its executor is there. */
  static boolean tryRestartTask(
      DecisionBuilder draft, Task task, TaskFailure failure, boolean executorAlive) {
    boolean mayRestart = task.started() || draft.state().canContinueWithout(task);
    return mayRestart
        && (tryRestartBlameless(draft, task, failure, executorAlive)
            || tryRestartChargedToRole(draft, task, failure, executorAlive)
            || tryRestartMember(draft, task, failure, executorAlive));
  }

  /**
   * A lost port or checkpoint is nobody's fault, nor is what YARN took with an ApplicationMaster:
   * neither the role pays for it, nor a sidecar's user.
   */
  private static boolean tryRestartBlameless(
      DecisionBuilder draft, Task task, TaskFailure failure, boolean executorAlive) {
    RoleSpec role = draft.state().role(task);
    boolean independent = role.maxTaskRetries() > 0 || role.supervision() == Supervision.SIDECAR;
    boolean blameless = failure.blameless() && executorAlive;
    if (!independent || !(blameless || failure.isMasterLoss())) {
      return false;
    }
    RetryBudgetOwner chargedTo = blameless ? RetryBudgetOwner.JOB : RetryBudgetOwner.NOBODY;
    int remaining = remaining(draft.state(), failure, chargedTo);
    if (remaining < 0) {
      return false;
    }
    restartTask(
        draft, task, failure, restartMode(draft, task, executorAlive), chargedTo, remaining);
    return true;
  }

  /** A container that is smaller than its role now asks for, or that YARN takes, is not kept. */
  private static RestartMode restartMode(DecisionBuilder draft, Task task, boolean executorAlive) {
    return executorAlive && draft.state().keepsContainer(task, draft.at())
        ? RestartMode.ALONE_SAME_CONTAINER
        : RestartMode.ALONE_NEW_CONTAINER;
  }

  private static boolean tryRestartChargedToRole(
      DecisionBuilder draft, Task task, TaskFailure failure, boolean executorAlive) {
    int remaining = draft.state().role(task).maxTaskRetries() - task.retries() - 1;
    if (remaining < 0 || !failure.isRetriable()) {
      return false;
    }
    restartTask(
        draft,
        task,
        failure,
        restartMode(draft, task, executorAlive),
        RetryBudgetOwner.ROLE,
        remaining);
    return true;
  }

  /**
   * The others go on without it until it is back. One that hangs, or fails because of another, is
   * not the one to start again: the gang is.
   */
  private static boolean tryRestartMember(
      DecisionBuilder draft, Task task, TaskFailure failure, boolean executorAlive) {
    JobState state = draft.state();
    boolean isSecondary =
        failure.hung() || !SecondaryFailure.of(failure.toFact(state, task)).isEmpty();
    boolean needed = failure.isProgramFailure() || !LiveResize.isRoleWorkDone(state, task);
    Optional<RetryBudgetOwner> chargedTo =
        task.started() && needed && !isSecondary && LiveResize.canRunWithout(state, task)
            ? chargedTo(state, task, failure)
            : Optional.empty();
    chargedTo.ifPresent(
        owner -> {
          ElasticScaleUp.releaseSpares(draft); // a member rather than one more
          restartTask(
              draft,
              task,
              failure,
              restartMode(draft, task, executorAlive),
              owner,
              remaining(state, failure, owner));
        });
    return chargedTo.isPresent();
  }

  private static void restartTask(
      DecisionBuilder draft,
      Task task,
      TaskFailure failure,
      RestartMode mode,
      RetryBudgetOwner chargedTo,
      int remaining) {
    JobState before = draft.state();
    int attempt = before.gang().attempt() + 1;
    boolean alone = mode != RestartMode.REPLACE_CONTAINER || task.alone();
    MemoryEscalation escalation = MemoryEscalation.after(before, task, failure);
    draft.record(
        new TaskFact.Restarted(
            task.id(),
            failure.kind(),
            escalation.message(),
            remaining,
            attempt,
            mode.keepsContainer(),
            alone,
            chargedTo,
            !task.started(),
            task.node(),
            escalation.memoryMiB()));
    if (mode.keepsContainer()) {
      draft.emit(new RestartTask(task.key(), attempt, "it is started again"));
    } else {
      RestartActions.discardContainer(draft, task);
      RestartActions.requestContainers(draft, before);
      GangStart.awaitContainers(draft);
    }
    if (alone && !task.alone() && !task.started()) {
      GangStart.startIfComplete(draft); // the others wait for it no longer
    }
    // Else the gang soon goes on without the container.
    if (chargedTo != RetryBudgetOwner.NOBODY || alone) {
      avoidAfterLoss(draft, task.node(), failure);
    }
  }

  /**
   * YARN is going to take its container, which is given back: it starts again by itself in another
   * one, at nobody's expense.
   */
  static void relocateTask(DecisionBuilder draft, Task task, String message) {
    ElasticScaleUp.releaseSpares(draft);
    JobState before = draft.state();
    draft.record(
        new TaskFact.Restarted(
            task.id(),
            FailureKind.PREEMPTED,
            message,
            before.role(task).maxTaskRetries() - task.retries(),
            before.gang().attempt() + 1,
            false,
            true,
            RetryBudgetOwner.NOBODY,
            false,
            task.node(),
            null));
    RestartActions.releaseContainer(draft, task);
    RestartActions.requestContainers(draft, before);
    GangStart.awaitContainers(draft);
  }

  static void avoidAfterLoss(DecisionBuilder draft, String node, TaskFailure failure) {
    if (failure.kind() == FailureKind.LOST && !failure.blameless() && !node.isEmpty()) {
      NodeAvoidance.avoid(draft, node);
    }
  }

  // ---- The gang ----

  /**
   * Starts the gang again, in the same containers as far as they are there.
   *
   * @param executorAlive whether the executor of the failed task is still there
   */
  static boolean tryRestartGang(
      DecisionBuilder draft, Task failed, TaskFailure failure, boolean executorAlive) {
    Optional<RetryBudgetOwner> chargedTo = chargedTo(draft.state(), failed, failure);
    chargedTo.ifPresent(
        owner -> {
          tryRestartGang(draft, failed, failure, executorAlive, owner);
          avoidAfterLoss(draft, failed.node(), failure);
        });
    return chargedTo.isPresent();
  }

  /**
   * Starts the gang again for a loss that was paid for when its task started again by itself; it
   * may have another container since.
   */
  static void restartGangForChargedLoss(DecisionBuilder draft, Task lost) {
    TaskFailure failure = TaskFailure.of(lost.failureStreak().containerLoss());
    Optional<RetryBudgetOwner> chargedTo =
        AttemptLimits.allowsFreeRestart(draft.state())
            ? Optional.of(RetryBudgetOwner.NOBODY)
            : chargedTo(draft.state(), lost, failure);
    boolean executorAlive = lost.state().holdsContainer();
    chargedTo.ifPresent(owner -> tryRestartGang(draft, lost, failure, executorAlive, owner));
  }

  private static void tryRestartGang(
      DecisionBuilder draft,
      Task failed,
      TaskFailure failure,
      boolean executorAlive,
      RetryBudgetOwner chargedTo) {
    JobState before = draft.state();
    boolean canShrink = ElasticPolicy.canDoWithout(before, failed, failure);
    RootCauseAnalysis.conclude(draft);
    MemoryEscalation escalation = MemoryEscalation.after(before, failed, failure);
    JobState grown = escalation.applied(before, failed);
    Set<String> waiting = grown.rolesWaitingAgain(failed.id());
    boolean keepsContainer =
        executorAlive
            && grown.keepsContainer(failed, draft.at())
            && !waiting.contains(failed.id().role());
    draft.record(
        new GangFact.Restarted(
            failed.id(),
            failure.kind(),
            escalation.message(),
            remaining(before, failure, chargedTo),
            before.gang().attempt() + 1,
            chargedTo,
            keptContainerCount(grown, draft.at(), waiting)
                + (keepsContainer && !hasContainer(before, failed) ? 1 : 0),
            keepsContainer,
            failed.node(),
            new ArrayList<>(before.rolesDoneForGood(failed.id())),
            escalation.memoryMiB()));
    RestartActions.commandExecutors(draft, before, failure.hung());
    if (!keepsContainer && !failed.container().isEmpty()) {
      RestartActions.discardContainer(draft, failed);
    }
    RestartActions.awaitGang(draft, before);
    if (canShrink) {
      ElasticPolicy.scheduleShrink(draft);
    }
  }

  /**
   * YARN is going to take containers, which are given back: the gang starts again without them, at
   * nobody's expense.
   *
   * @param leaving one of the tasks in them
   */
  static void relocateGang(DecisionBuilder draft, Task leaving, String message) {
    JobState before = draft.state();
    RootCauseAnalysis.conclude(draft);
    draft.record(
        new GangFact.Restarted(
            leaving.id(),
            FailureKind.PREEMPTED,
            message,
            before.budget().remaining(FailureKind.PREEMPTED),
            before.gang().attempt() + 1,
            RetryBudgetOwner.NOBODY,
            keptContainerCount(before, draft.at(), before.rolesWaitingAgain(leaving.id())),
            false,
            leaving.node(),
            new ArrayList<>(before.rolesDoneForGood(leaving.id()))));
    RestartActions.commandExecutors(draft, before, false);
    RestartActions.awaitGang(draft, before);
    ElasticPolicy.tryShrink(draft, "YARN takes containers");
  }

  /** False for a task that has just failed: its container is no longer counted. */
  private static boolean hasContainer(JobState state, Task task) {
    return state.tasks().get(task.id()).state().holdsContainer();
  }

  /** How many of the containers that are there stay; none of the roles that wait again. */
  private static int keptContainerCount(JobState grown, Instant now, Set<String> waiting) {
    int count = 0;
    for (Task task : grown.tasks()) {
      boolean stays =
          task.state().holdsContainer()
              && grown.keepsContainer(task, now)
              && !waiting.contains(task.id().role());
      count += stays ? 1 : 0;
    }
    return count;
  }
}
