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
 * Carries out a restart that was decided: orders executors to restart or stop, gives containers
 * back, requests new ones, and limits the wait for them.
 */
final class RestartActions {
  private static final String RESTART_REASON = "the gang is started again";

  private RestartActions() {}

  /**
   * Orders each executor whose container is kept to restart, and each other one to stop.
   *
   * @param before the job's state before the restart
   * @param dumpStacks true if the programs must dump their stacks before they end
   */
  static void commandExecutors(DecisionBuilder decision, JobState before, boolean dumpStacks) {
    for (Task task : before.tasks()) {
      Task now = decision.state().tasks().get(task.id());
      if (now.inSameContainer() && now.state() == TaskState.LAUNCHING) {
        decision.emit(new RestartTask(task.key(), now.attempt(), RESTART_REASON, dumpStacks));
      } else if (task.state().holdsContainer()) {
        releaseContainer(decision, task);
      }
    }
  }

  /**
   * Requests the missing containers of all roles. If the containers of a role have a new size,
   * withdraws the role's pending requests and requests all of its missing containers again.
   *
   * @param before the job's state before the restart
   */
  static void requestContainers(DecisionBuilder decision, JobState before) {
    for (RoleSpec role : decision.state().job().roles()) {
      int requestedCount = before.tasks().count(role.name(), TaskState.REQUESTED);
      int missingCount = decision.state().tasks().count(role.name(), TaskState.REQUESTED);
      RoleSpec formerRole = before.job().role(role.name());
      if (formerRole.resource().equals(role.resource())) {
        missingCount -= requestedCount;
      } else if (requestedCount > 0) {
        decision.emit(new CancelRequests(formerRole, requestedCount));
      }
      if (missingCount > 0) {
        decision.emit(new RequestContainers(role, missingCount));
      } else if (missingCount < 0) {
        // The role waits again for the roles that it depends on, so fewer containers are missing.
        decision.emit(new CancelRequests(role, -missingCount));
      }
    }
  }

  /**
   * Gives a container back by ordering its executor to stop. The executor ends the program, may
   * copy the program's outputs, and exits. YARN is asked to stop the container only if no executor
   * has registered in it yet. An executor that does not exit eventually misses its heartbeats, and
   * the {@link JobMachine} then stops its container.
   */
  static void releaseContainer(DecisionBuilder decision, Task task) {
    decision.emit(new StopTask(task.key(), "its container is given back"));
    if (task.state() == TaskState.LAUNCHING && !task.inSameContainer()) {
      decision.emit(new StopContainer(task.key()));
    }
  }

  /** Stops a container at once, with the executor that may still run in it. */
  static void discardContainer(DecisionBuilder decision, Task task) {
    decision.emit(new StopTask(task.key(), "it is replaced"));
    decision.emit(new StopContainer(task.key()));
  }

  /**
   * Requests the containers that a restarted gang lacks, and sets the timers that limit the wait
   * for them.
   *
   * @param before the job's state before the restart
   */
  static void awaitGang(DecisionBuilder decision, JobState before) {
    ElasticScaleUp.releaseSpares(decision);
    requestContainers(decision, before);
    TaskCompletion.cancelGroupTimers(decision);
    decision.emit(new CancelTimer(Timer.BACK_OFF));
    if (decision.state().phase() == Phase.ALLOCATING) {
      GangStart.awaitContainers(decision);
    }
    GangStart.requestContainers(decision);
    // Start the timeouts of groups that have ended and do not run again.
    TaskCompletion.setGroupTimers(decision);
  }
}
