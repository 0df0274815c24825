package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.fact.GangFact;
import io.tony.fact.Payer;
import io.tony.fact.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskState;
import java.util.ArrayList;
import java.util.Optional;

/**
 * How tasks are started again: one that nobody has seen yet, one alone while the others go on, or
 * the gang. Whatever is healthy keeps its container and its executor; only programs end. Each of
 * these answers false, and does nothing, where the budget for such failures is spent.
 */
final class Restarting {
  private static final String GANG = "the gang is started again";

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
    if (failure.ofTheMaster()) {
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

  /** A task ended before its program was started: the others wait for it, and are kept. */
  static boolean replace(Draft draft, Task task, TaskFailure failure) {
    Optional<Payer> payer = payer(draft.state(), task, failure);
    payer.ifPresent(by -> replace(draft, task, failure, by));
    return payer.isPresent();
  }

  static void replace(Draft draft, Task task, TaskFailure failure, Payer payer) {
    int left = left(draft.state(), failure, payer);
    restart(draft, task, failure, How.REPLACED, payer, left);
  }

  /** A task that the others do not need. {@code healthy} is whether its executor is there. */
  static boolean alone(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    return task.started()
        && (blameless(draft, task, failure, healthy) || forItsRole(draft, task, failure, healthy));
  }

  /**
   * A lost port is nobody's fault, nor is what YARN took with an ApplicationMaster: neither the
   * role pays for it, nor a sidecar's user.
   */
  private static boolean blameless(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    RoleSpec role = draft.state().role(task);
    boolean independent = role.retries() > 0 || role.supervision() == Supervision.SIDECAR;
    boolean lostPort = failure.portTaken() && healthy;
    if (!independent || !(lostPort || failure.ofTheMaster())) {
      return false;
    }
    Payer payer = lostPort ? Payer.JOB : Payer.NOBODY;
    int left = left(draft.state(), failure, payer);
    if (left < 0) {
      return false;
    }
    restart(draft, task, failure, how(draft, task, healthy), payer, left);
    return true;
  }

  /** A container that is smaller than its role now asks for is not kept. */
  private static How how(Draft draft, Task task, boolean healthy) {
    return healthy && Growth.fits(draft.state(), task) ? How.KEPT_ALONE : How.NEW_ALONE;
  }

  private static boolean forItsRole(Draft draft, Task task, TaskFailure failure, boolean healthy) {
    int left = draft.state().role(task).retries() - task.retries() - 1;
    if (left < 0 || !failure.retriable()) {
      return false;
    }
    restart(draft, task, failure, how(draft, task, healthy), Payer.ROLE, left);
    return true;
  }

  private static void restart(
      Draft draft, Task task, TaskFailure failure, How how, Payer payer, int left) {
    JobState before = draft.state();
    int attempt = before.gang().attempt() + 1;
    Growth growth = Growth.after(before, task, failure);
    draft.record(
        new TaskFact.Restarted(
            task.id(),
            failure.kind(),
            growth.message(),
            left,
            attempt,
            how.kept(),
            how == How.REPLACED ? task.alone() : true,
            payer,
            !task.started(),
            task.node(),
            growth.memory()));
    if (how.kept()) {
      draft.act(new RestartTask(task.key(), attempt, "it is started again"));
      Starting.awaitExecutors(draft);
    } else {
      discard(draft, task);
      requests(draft, before);
      Starting.awaitContainers(draft, before.phase());
    }
    avoidAfterLoss(draft, task.node(), failure, payer);
  }

  /** Nothing more is wanted of the container or of an executor that may live on in it. */
  private static void discard(Draft draft, Task task) {
    draft.act(new StopTask(task.key(), "it is replaced"));
    draft.act(new StopContainer(task.key()));
  }

  /** What is lost with an ApplicationMaster, before anybody had started it, blames no node. */
  private static void avoidAfterLoss(Draft draft, String node, TaskFailure failure, Payer payer) {
    if (failure.kind() == FailureKind.LOST && !failure.portTaken() && payer != Payer.NOBODY) {
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
    JobState before = draft.state();
    Optional<Payer> payer = payer(before, failed, failure);
    if (payer.isEmpty()) {
      return false;
    }
    FirstCauses.conclude(draft);
    Growth growth = Growth.after(before, failed, failure);
    JobState grown = growth.applied(before, failed);
    boolean keeps = healthy && Growth.fits(grown, failed);
    draft.record(
        new GangFact.Restarted(
            failed.id(),
            failure.kind(),
            growth.message(),
            left(before, failure, payer.get()),
            before.gang().attempt() + 1,
            payer.get(),
            kept(grown) + (keeps ? 1 : 0),
            keeps,
            failed.node(),
            new ArrayList<>(before.job().awaited()),
            growth.memory()));
    commands(draft, before, failure.hung());
    if (!keeps) {
      discard(draft, failed);
    }
    requests(draft, before);
    Outcomes.cancelGroupTimers(draft);
    draft.act(new CancelTimer(Timer.BACK_OFF));
    if (draft.state().phase() == Phase.ALLOCATING) {
      Starting.awaitContainers(draft, before.phase());
    } else {
      Starting.awaitExecutors(draft);
    }
    Starting.request(draft);
    Outcomes.groupTimers(draft); // of groups whose work is done for good
    avoidAfterLoss(draft, failed.node(), failure, payer.get());
    return true;
  }

  /** How many of the containers that are there stay. */
  private static int kept(JobState grown) {
    int kept = 0;
    for (Task task : grown.tasks()) {
      kept += task.state().holdsContainer() && Growth.fits(grown, task) ? 1 : 0;
    }
    return kept;
  }

  /** Every executor that is kept is told to start again, and any other to end. */
  private static void commands(Draft draft, JobState before, boolean stacks) {
    for (Task task : before.tasks()) {
      Task now = draft.state().tasks().get(task.id());
      if (now.kept() && now.state() == TaskState.LAUNCHING) {
        draft.act(new RestartTask(task.key(), now.attempt(), GANG, stacks));
      } else if (task.state().holdsContainer()) {
        discard(draft, task); // it is too small by now
      }
    }
  }

  /** Asks for what is missing; all of it anew where the role has grown. */
  private static void requests(Draft draft, JobState before) {
    for (RoleSpec role : draft.state().job().roles()) {
      int asked = before.tasks().count(role.name(), TaskState.REQUESTED);
      int more = draft.state().tasks().count(role.name(), TaskState.REQUESTED);
      RoleSpec smaller = before.job().role(role.name());
      if (smaller.resource().equals(role.resource())) {
        more -= asked;
      } else if (asked > 0) {
        draft.act(new CancelRequests(smaller, asked));
      }
      if (more > 0) {
        draft.act(new RequestContainers(role, more));
      }
    }
  }
}
