package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How tasks are started again: one that nobody has seen yet, one alone while the others go on, or
 * the gang. Whatever is healthy keeps its container and its executor; only programs end.
 */
final class Restarting {
  private static final String GANG = "the gang is started again";

  private Restarting() {}

  // ---- One task ----

  /**
   * A task ended before its program was started: the others wait for it, and are kept. The loss of
   * a node costs as much as that of one task, however many had kept their containers on it.
   *
   * @return nothing when the budget for such failures is spent
   */
  static Optional<Decision> replace(JobState state, Event event, Task task, TaskFailure failure) {
    boolean free = task.kept() && state.gang().lostNodes().contains(task.node());
    return replace(state, event, task, failure, free);
  }

  static Optional<Decision> replace(
      JobState state, Event event, Task task, TaskFailure failure, boolean free) {
    int left = state.budget().left(failure.kind()) - (free ? 0 : 1);
    if (left < 0) {
      return Optional.empty();
    }
    JobState next = state.with(state.budget().withLeft(failure.kind(), left));
    Task again = task.again(state.gang().attempt() + 1, TaskState.REQUESTED);
    return Optional.of(restartOne(next, event, task, again, failure, left));
  }

  /** A task that the others do not need; nothing when it was tried enough. */
  static Optional<Decision> alone(
      JobState state, Event event, Task task, TaskFailure failure, boolean healthy) {
    return afterLostPort(state, event, task, failure, healthy)
        .or(() -> forItsRole(state, event, task, failure, healthy));
  }

  /** A lost port is nobody's fault: neither the role pays for it, nor a sidecar's user. */
  private static Optional<Decision> afterLostPort(
      JobState state, Event event, Task task, TaskFailure failure, boolean healthy) {
    RoleSpec role = state.role(task);
    boolean independent = role.retries() > 0 || role.supervision() == Supervision.SIDECAR;
    int left = state.budget().left(failure.kind()) - 1;
    if (!failure.portTaken() || !task.started() || !healthy || !independent || left < 0) {
      return Optional.empty();
    }
    JobState charged = state.with(state.budget().withLeft(failure.kind(), left));
    Task again = task.kept(state.gang().attempt() + 1).alone(true);
    return Optional.of(restartOne(charged, event, task, again, failure, left));
  }

  private static Optional<Decision> forItsRole(
      JobState state, Event event, Task task, TaskFailure failure, boolean healthy) {
    int left = state.role(task).retries() - task.retries() - 1;
    if (left < 0 || !task.started() || !failure.retriable()) {
      return Optional.empty();
    }
    int attempt = state.gang().attempt() + 1;
    Task again =
        (healthy ? task.kept(attempt) : task.again(attempt, TaskState.REQUESTED)).aloneForItsRole();
    return Optional.of(restartOne(state, event, task, again, failure, left));
  }

  private static Decision restartOne(
      JobState state, Event event, Task before, Task again, TaskFailure failure, int left) {
    List<Action> actions = new ArrayList<>();
    actions.add(
        new AppendEvent(
            Facts.task(state, event, JobEvent.Type.TASK_RESTARTED, again)
                .with("kind", failure.kind())
                .with("message", failure.message())
                .with("left", left)
                .with("attempt", again.attempt())
                .with("where", again.kept() ? "kept" : "new")
                .with("alone", again.alone())
                .with("charged", again.retries() > before.retries() ? "role" : "job")
                .with("replaced", !before.started())
                .with("node", before.node())
                .event()));
    if (again.kept()) {
      actions.add(new RestartTask(before.key(), again.attempt(), "it is started again"));
    } else {
      actions.addAll(discard(before));
      actions.add(new RequestContainers(state.role(again), 1));
    }
    JobState next = restartedOne(state, again);
    actions.addAll(
        again.kept()
            ? Starting.awaitExecutors(next)
            : Starting.awaitContainers(next, state.phase()).actions());
    return new Decision(next, actions)
        .then(now -> avoidAfterLoss(now, event, before.node(), failure));
  }

  /** The state once one task is asked for again, or its executor told to register again. */
  static JobState restartedOne(JobState state, Task again) {
    return state.with(state.gang().nextAttempt(again)).settled();
  }

  /** Nothing more is wanted of the container or of an executor that may live on in it. */
  private static List<Action> discard(Task task) {
    return List.of(new StopTask(task.key(), "it is replaced"), new StopContainer(task.key()));
  }

  private static Decision avoidAfterLoss(
      JobState state, Event event, String node, TaskFailure failure) {
    return failure.kind() == FailureKind.LOST && !failure.portTaken()
        ? Avoidance.avoid(state, event, node)
        : Decision.unchanged(state);
  }

  // ---- The gang ----

  /**
   * Starts the gang again, in the same containers as far as they are there.
   *
   * @param healthy whether the executor of the failed task is still there
   * @return nothing when the budget for such failures is spent
   */
  static Optional<Decision> gang(
      JobState state, Event event, Task failed, TaskFailure failure, boolean healthy) {
    int left = state.budget().left(failure.kind()) - 1;
    if (left < 0) {
      return Optional.empty();
    }
    JobState charged = state.with(state.budget().withLeft(failure.kind(), left));
    JobState next = restartedGang(charged, failed.id(), healthy);
    List<Action> actions = new ArrayList<>();
    actions.add(
        new AppendEvent(
            Facts.task(state, event, JobEvent.Type.GANG_RESTARTED, failed)
                .with("kind", failure.kind())
                .with("message", failure.message())
                .with("left", left)
                .with("attempt", next.gang().attempt())
                .with("kept", next.tasks().count(TaskState.LAUNCHING))
                .with("keptFailed", healthy)
                .with("node", failed.node())
                .with("done", String.join(",", state.job().awaited()))
                .event()));
    for (Task task : state.tasks()) {
      Task now = next.tasks().get(task.id());
      if (now.kept() && now.state() == TaskState.LAUNCHING) {
        actions.add(new RestartTask(task.key(), now.attempt(), GANG));
      }
    }
    if (!healthy) {
      actions.addAll(discard(failed));
    }
    for (RoleSpec role : state.job().roles()) {
      int more =
          next.tasks().count(role.name(), TaskState.REQUESTED)
              - state.tasks().count(role.name(), TaskState.REQUESTED);
      if (more > 0) {
        actions.add(new RequestContainers(role, more));
      }
    }
    actions.addAll(Outcomes.cancelGroupTimers(state));
    actions.add(new CancelTimer(Timer.BACK_OFF));
    return Optional.of(
        new Decision(next, actions)
            .then(now -> bounds(now, state.phase()))
            .then(now -> Starting.request(now, event))
            .then(Outcomes::groupTimers) // of groups whose work is done for good
            .then(now -> avoidAfterLoss(now, event, failed.node(), failure)));
  }

  private static Decision bounds(JobState state, Phase before) {
    return state.phase() == Phase.ALLOCATING
        ? Starting.awaitContainers(state, before)
        : new Decision(state, Starting.awaitExecutors(state));
  }

  /**
   * The state of the gang as it starts again: what had its container keeps it, what had ended is
   * asked for again, and what was done for others stays done.
   */
  static JobState restartedGang(JobState state, TaskId failed, boolean healthy) {
    int attempt = state.gang().attempt() + 1;
    TaskTable tasks = state.tasks();
    for (Task task : state.tasks()) {
      boolean itself = task.id().equals(failed);
      Task again =
          switch (task.state()) {
            case WAITING -> task;
            case REQUESTED -> task.again(attempt, TaskState.REQUESTED);
            case LAUNCHING, REGISTERED, RUNNING -> task.kept(attempt);
            case SUCCEEDED, FAILED, STOPPED ->
                itself && healthy
                    ? task.kept(attempt)
                    : state.doneForGood(task) ? task : task.again(attempt, TaskState.REQUESTED);
          };
      tasks = tasks.with(again.alone(false));
    }
    JobState next = state.with(state.gang().nextSession(attempt, tasks));
    if (!healthy) {
      next = next.with(next.gang().charged(state.tasks().get(failed).node()));
    }
    return next.in(Phase.ALLOCATING).settled();
  }
}
