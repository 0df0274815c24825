package io.tony.am.machine;

import io.tony.am.machine.Action.CancelRequests;
import io.tony.am.machine.Action.CancelTimer;
import io.tony.am.machine.Action.RequestContainers;
import io.tony.am.machine.Action.RestartTask;
import io.tony.am.machine.Action.StopContainer;
import io.tony.am.machine.Action.StopTask;
import io.tony.model.RoleSpec;
import io.tony.model.TaskState;

/**
 * What is done for the next start, once it is decided: executors that stay are told, containers are
 * given back and asked for, and the wait for them is bounded.
 */
final class RestartActions {
  private static final String RESTART_REASON = "the gang is started again";

  private RestartActions() {}

  /** Every executor whose container stays is told to start again, and any other to end. */
  static void commandExecutors(DecisionBuilder draft, JobState before, boolean dumpStacks) {
    for (Task task : before.tasks()) {
      Task now = draft.state().tasks().get(task.id());
      if (now.inSameContainer() && now.state() == TaskState.LAUNCHING) {
        draft.emit(new RestartTask(task.key(), now.attempt(), RESTART_REASON, dumpStacks));
      } else if (task.state().holdsContainer()) {
        releaseContainer(draft, task);
      }
    }
  }

  /** Asks for what is missing; all of it anew where the role has grown. */
  static void requestContainers(DecisionBuilder draft, JobState before) {
    for (RoleSpec role : draft.state().job().roles()) {
      int requestedCount = before.tasks().count(role.name(), TaskState.REQUESTED);
      int missingCount = draft.state().tasks().count(role.name(), TaskState.REQUESTED);
      RoleSpec formerRole = before.job().role(role.name());
      if (formerRole.resource().equals(role.resource())) {
        missingCount -= requestedCount;
      } else if (requestedCount > 0) {
        draft.emit(new CancelRequests(formerRole, requestedCount));
      }
      if (missingCount > 0) {
        draft.emit(new RequestContainers(role, missingCount));
      } else if (missingCount < 0) {
        draft.emit(new CancelRequests(role, -missingCount)); // it waits for others again
      }
    }
  }

  /**
   * The executor may copy what its program leaves, and ends then: YARN ends only what has none yet.
   * One that does not end is missed in the end (see {@link JobMachine}).
   */
  static void releaseContainer(DecisionBuilder draft, Task task) {
    draft.emit(new StopTask(task.key(), "its container is given back"));
    if (task.state() == TaskState.LAUNCHING && !task.inSameContainer()) {
      draft.emit(new StopContainer(task.key()));
    }
  }

  /** Nothing more is wanted of the container or of an executor that may live on in it. */
  static void discardContainer(DecisionBuilder draft, Task task) {
    draft.emit(new StopTask(task.key(), "it is replaced"));
    draft.emit(new StopContainer(task.key()));
  }

  /** Asks for what the gang lacks, and bounds how long that may take. */
  static void awaitGang(DecisionBuilder draft, JobState before) {
    ElasticScaleUp.releaseSpares(draft);
    requestContainers(draft, before);
    TaskCompletion.cancelGroupTimers(draft);
    draft.emit(new CancelTimer(Timer.BACK_OFF));
    if (draft.state().phase() == Phase.ALLOCATING) {
      GangStart.awaitContainers(draft);
    }
    GangStart.requestContainers(draft);
    TaskCompletion.setGroupTimers(draft); // of groups whose work is done for good
  }
}
