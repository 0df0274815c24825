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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Restarts tasks: one task before its program has started, one task while the others run, or the
 * whole gang. Where possible, tasks that have not failed keep their containers and executors, and
 * only their programs end. A {@code try…} method returns false and does nothing if the restart is
 * not possible or no retry budget can pay for it.
 */
final class RestartPolicy {
  private RestartPolicy() {}

  /** How a single task restarts: in which container, and whether the other tasks wait for it. */
  private enum RestartMode {
    REPLACE_CONTAINER,
    ALONE_SAME_CONTAINER,
    ALONE_NEW_CONTAINER;

    boolean keepsContainer() {
      return this == ALONE_SAME_CONTAINER;
    }
  }

  // ---- Retry budgets ----

  /**
   * Returns what pays for a restart after the failure: {@link RetryBudgetOwner#NOBODY} if the
   * container was lost with an ApplicationMaster or an elastic gang can run without the task;
   * {@link RetryBudgetOwner#INCIDENT} if an earlier charge covers this loss; otherwise the job's
   * budget. Empty if the job's budget for this failure is spent.
   */
  static Optional<RetryBudgetOwner> chargedTo(JobState state, Task task, TaskFailure failure) {
    if (failure.isMasterLoss() || ElasticPolicy.canDoWithout(state, task, failure)) {
      return Optional.of(RetryBudgetOwner.NOBODY);
    }
    // The failure of a program that ran is always charged. A task that only waits for its gang may
    // be covered by the charge for another task's loss.
    if (!task.isRunning()
        && !failure.isProgramFailure()
        && state.gang().isAlreadyCharged(task, failure.kind())) {
      return Optional.of(RetryBudgetOwner.INCIDENT);
    }
    return state.budget().remaining(failure.kind()) > 0
        ? Optional.of(RetryBudgetOwner.JOB)
        : Optional.empty();
  }

  /** Returns the number of retries left for the failure's kind after this charge. */
  private static int remaining(JobState state, TaskFailure failure, RetryBudgetOwner chargedTo) {
    FailureKind kind = failure.isMasterLoss() ? FailureKind.LOST : failure.kind();
    return state.budget().remaining(kind) - (chargedTo == RetryBudgetOwner.JOB ? 1 : 0);
  }

  // ---- A single task ----

  /**
   * Replaces the container of a task that failed before its program started; the other tasks are
   * not restarted. If no other task waits for this one, the restart is charged to the task's own
   * retries as long as some are left; otherwise see {@link #chargedTo}. Returns false if no retries
   * are left.
   */
  static boolean tryReplaceContainer(DecisionBuilder decision, Task task, TaskFailure failure) {
    if (decision.state().startsIndependently(task)
        && tryRestartChargedToRole(decision, task, failure, false)) {
      return true;
    }
    Optional<RetryBudgetOwner> chargedTo = chargedTo(decision.state(), task, failure);
    boolean canShrink = ElasticPolicy.canDoWithout(decision.state(), task, failure);
    chargedTo.ifPresent(owner -> replaceContainer(decision, task, failure, owner));
    if (canShrink) {
      ElasticPolicy.scheduleShrink(decision);
    }
    return chargedTo.isPresent();
  }

  static void replaceContainer(
      DecisionBuilder decision, Task task, TaskFailure failure, RetryBudgetOwner chargedTo) {
    restartTask(
        decision,
        task,
        failure,
        RestartMode.REPLACE_CONTAINER,
        chargedTo,
        remaining(decision.state(), failure, chargedTo));
  }

  /**
   * Restarts a single task while the others run.
   *
   * @param executorAlive true if the executor of the failed task still runs, so that the task may
   *     restart in the same container
   */
  static boolean tryRestartTask(
      DecisionBuilder decision, Task task, TaskFailure failure, boolean executorAlive) {
    boolean mayRestart = task.isRunning() || decision.state().canContinueWithout(task);
    return mayRestart
        && (tryRestartBlameless(decision, task, failure, executorAlive)
            || tryRestartChargedToRole(decision, task, failure, executorAlive)
            || tryRestartMember(decision, task, failure, executorAlive));
  }

  /**
   * Restarts a task with retries of its own, or a sidecar, after a failure for which neither the
   * program nor its user is to blame. The role's retries do not pay: a lost port or an unusable
   * checkpoint is charged to the job, a container that YARN took with an ApplicationMaster to no
   * budget.
   */
  private static boolean tryRestartBlameless(
      DecisionBuilder decision, Task task, TaskFailure failure, boolean executorAlive) {
    RoleSpec role = decision.state().role(task);
    boolean independent = role.maxTaskRetries() > 0 || role.supervision() == Supervision.SIDECAR;
    boolean blameless = failure.blameless() && executorAlive;
    if (!independent || !(blameless || failure.isMasterLoss())) {
      return false;
    }
    RetryBudgetOwner chargedTo = blameless ? RetryBudgetOwner.JOB : RetryBudgetOwner.NOBODY;
    int remaining = remaining(decision.state(), failure, chargedTo);
    if (remaining < 0) {
      return false;
    }
    restartTask(
        decision, task, failure, restartMode(decision, task, executorAlive), chargedTo, remaining);
    return true;
  }

  /**
   * Returns how a task restarts alone. Its container is kept if the executor runs, the container
   * has the memory that the role now requests, and YARN is not about to preempt it.
   */
  private static RestartMode restartMode(
      DecisionBuilder decision, Task task, boolean executorAlive) {
    return executorAlive && decision.state().keepsContainer(task, decision.at())
        ? RestartMode.ALONE_SAME_CONTAINER
        : RestartMode.ALONE_NEW_CONTAINER;
  }

  private static boolean tryRestartChargedToRole(
      DecisionBuilder decision, Task task, TaskFailure failure, boolean executorAlive) {
    int remaining = decision.state().role(task).maxTaskRetries() - task.retries() - 1;
    if (remaining < 0 || !failure.isRetriable()) {
      return false;
    }
    restartTask(
        decision,
        task,
        failure,
        restartMode(decision, task, executorAlive),
        RetryBudgetOwner.ROLE,
        remaining);
    return true;
  }

  /**
   * Restarts a member of a gang with live resize, which runs without the member until it is back.
   * Returns false for a task that hung or failed because of another task: then the whole gang must
   * restart.
   */
  private static boolean tryRestartMember(
      DecisionBuilder decision, Task task, TaskFailure failure, boolean executorAlive) {
    JobState state = decision.state();
    boolean isSecondary =
        failure.hung() || !SecondaryFailure.of(failure.toFact(state, task)).isEmpty();
    boolean needed = failure.isProgramFailure() || !LiveResize.isRoleWorkDone(state, task);
    Optional<RetryBudgetOwner> chargedTo =
        task.isRunning() && needed && !isSecondary && LiveResize.canRunWithout(state, task)
            ? chargedTo(state, task, failure)
            : Optional.empty();
    chargedTo.ifPresent(
        owner -> {
          // A lost member has priority over growing, so the additional containers are given back.
          ElasticScaleUp.releaseSpares(decision);
          restartTask(
              decision,
              task,
              failure,
              restartMode(decision, task, executorAlive),
              owner,
              remaining(state, failure, owner));
        });
    return chargedTo.isPresent();
  }

  private static void restartTask(
      DecisionBuilder decision,
      Task task,
      TaskFailure failure,
      RestartMode mode,
      RetryBudgetOwner chargedTo,
      int remaining) {
    JobState before = decision.state();
    int attempt = before.gang().attempt() + 1;
    boolean alone = mode != RestartMode.REPLACE_CONTAINER || task.alone();
    MemoryEscalation escalation = MemoryEscalation.after(before, task, failure);
    decision.record(
        new TaskFact.Restarted(
            task.id(),
            failure.kind(),
            escalation.message(),
            remaining,
            attempt,
            mode.keepsContainer(),
            alone,
            chargedTo,
            !task.isRunning(),
            task.node(),
            escalation.memoryMiB()));
    if (mode.keepsContainer()) {
      decision.emit(new RestartTask(task.key(), attempt, "it is started again"));
    } else {
      RestartActions.discardContainer(decision, task);
      RestartActions.requestContainers(decision, before);
      GangStart.awaitContainers(decision);
    }
    if (alone && !task.alone() && !task.isRunning()) {
      // The other tasks need not wait for this task any more, so their start may be complete now.
      GangStart.startIfAllRegistered(decision);
    }
    // A gang with a loss that nothing pays for usually shrinks. Then it needs no other container,
    // and the node need not be avoided.
    if (chargedTo != RetryBudgetOwner.NOBODY || alone) {
      avoidAfterLoss(decision, task.node(), failure);
    }
  }

  /**
   * Restarts a task alone in another container, free of charge, and gives its present container
   * back, because YARN is about to preempt it.
   */
  static void relocateTask(DecisionBuilder decision, Task task, String message) {
    ElasticScaleUp.releaseSpares(decision);
    JobState before = decision.state();
    decision.record(
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
    RestartActions.releaseContainer(decision, task);
    RestartActions.requestContainers(decision, before);
    GangStart.awaitContainers(decision);
  }

  static void avoidAfterLoss(DecisionBuilder decision, String node, TaskFailure failure) {
    if (failure.kind() == FailureKind.LOST && !failure.blameless() && !node.isEmpty()) {
      NodeAvoidance.avoid(decision, node);
    }
  }

  // ---- The gang ----

  /**
   * Restarts the gang, with as many of its containers as possible.
   *
   * @param executorAlive true if the executor of the failed task still runs, so that the task may
   *     restart in the same container
   */
  static boolean tryRestartGang(
      DecisionBuilder decision, Task failed, TaskFailure failure, boolean executorAlive) {
    Optional<RetryBudgetOwner> chargedTo = chargedTo(decision.state(), failed, failure);
    chargedTo.ifPresent(
        owner -> {
          restartGang(decision, failed, failure, executorAlive, owner);
          avoidAfterLoss(decision, failed.node(), failure);
        });
    return chargedTo.isPresent();
  }

  /**
   * Restarts the gang because of a task's loss that was charged when that task restarted alone. The
   * restart is free of charge, unless the limit of free restarts is reached. If the task has got
   * another container by now, the task may keep it.
   */
  static void restartGangForChargedLoss(DecisionBuilder decision, Task lost) {
    TaskFailure failure =
        TaskFailure.of(Objects.requireNonNull(lost.failureStreak().containerLoss()));
    Optional<RetryBudgetOwner> chargedTo =
        AttemptLimits.allowsFreeRestart(decision.state())
            ? Optional.of(RetryBudgetOwner.NOBODY)
            : chargedTo(decision.state(), lost, failure);
    boolean executorAlive = lost.state().holdsContainer();
    chargedTo.ifPresent(owner -> restartGang(decision, lost, failure, executorAlive, owner));
  }

  private static void restartGang(
      DecisionBuilder decision,
      Task failed,
      TaskFailure failure,
      boolean executorAlive,
      RetryBudgetOwner chargedTo) {
    JobState before = decision.state();
    boolean canShrink = ElasticPolicy.canDoWithout(before, failed, failure);
    RootCauseAnalysis.conclude(decision);
    MemoryEscalation escalation = MemoryEscalation.after(before, failed, failure);
    JobState escalated = escalation.applied(before, failed);
    Set<String> waiting = escalated.rolesWaitingAgain(failed.id());
    boolean keepsContainer =
        executorAlive
            && escalated.keepsContainer(failed, decision.at())
            && !waiting.contains(failed.id().role());
    decision.record(
        new GangFact.Restarted(
            failed.id(),
            failure.kind(),
            escalation.message(),
            remaining(before, failure, chargedTo),
            before.gang().attempt() + 1,
            chargedTo,
            keptContainerCount(escalated, decision.at(), waiting)
                + (keepsContainer && !hasContainer(before, failed) ? 1 : 0),
            keepsContainer,
            failed.node(),
            new ArrayList<>(before.rolesDoneForGood(failed.id())),
            escalation.memoryMiB()));
    RestartActions.commandExecutors(decision, before, failure.hung());
    if (!keepsContainer && !failed.container().isEmpty()) {
      RestartActions.discardContainer(decision, failed);
    }
    RestartActions.awaitGang(decision, before);
    if (canShrink) {
      ElasticPolicy.scheduleShrink(decision);
    }
  }

  /**
   * Restarts the gang, free of charge, without the containers that YARN is about to preempt, and
   * gives those containers back.
   *
   * @param leaving a task in one of these containers; recorded as the one because of which the gang
   *     restarts
   */
  static void relocateGang(DecisionBuilder decision, Task leaving, String message) {
    JobState before = decision.state();
    RootCauseAnalysis.conclude(decision);
    decision.record(
        new GangFact.Restarted(
            leaving.id(),
            FailureKind.PREEMPTED,
            message,
            before.budget().remaining(FailureKind.PREEMPTED),
            before.gang().attempt() + 1,
            RetryBudgetOwner.NOBODY,
            keptContainerCount(before, decision.at(), before.rolesWaitingAgain(leaving.id())),
            false,
            leaving.node(),
            new ArrayList<>(before.rolesDoneForGood(leaving.id()))));
    RestartActions.commandExecutors(decision, before, false);
    RestartActions.awaitGang(decision, before);
    ElasticPolicy.tryShrink(decision, "YARN takes containers");
  }

  /**
   * Returns true if the state counts the task as the holder of a container; false for a task that
   * has just failed.
   */
  private static boolean hasContainer(JobState state, Task task) {
    return state.tasks().get(task.id()).state().holdsContainer();
  }

  /**
   * Returns the number of containers that a restart of the gang keeps.
   *
   * @param waiting roles that wait for other roles again; their containers are not kept
   */
  private static int keptContainerCount(JobState state, Instant now, Set<String> waiting) {
    int count = 0;
    for (Task task : state.tasks()) {
      boolean stays =
          task.state().holdsContainer()
              && state.keepsContainer(task, now)
              && !waiting.contains(task.id().role());
      count += stays ? 1 : 0;
    }
    return count;
  }
}
