package io.tony.am.machine;

import io.tony.event.RetryBudgetOwner;
import io.tony.model.TaskState;

/**
 * Handles a failed preflight check of a container. The container's node is avoided, and the task
 * gets another container free of charge. If the node cannot be avoided, or so many checks have
 * failed that the nodes are not the cause, the failure is handled like the loss of a task, which a
 * retry budget pays for.
 */
final class Preflight {
  /**
   * Number of failed checks per job that are free of charge, in addition to one for every ten
   * tasks.
   */
  private static final int MAX_FREE_FAILURES = 10;

  private Preflight() {}

  static void failed(DecisionBuilder decision, Event.PreflightFailed event) {
    // The event is about the container, whose task may be in a later attempt by now. Therefore find
    // the task by the container, whatever its attempt number is.
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    if (task == null || task.state() != TaskState.LAUNCHING) {
      // The container has already been given up, and its task does not wait for it any more.
      return;
    }
    TaskFailure failure = TaskFailure.preflightFailed(task, event.message());
    boolean canShrink = ElasticPolicy.canDoWithout(decision.state(), task, failure);
    decision.record(failure.toFact(decision.state(), task));
    boolean free =
        mayBeFree(decision.state()) && NodeAvoidance.avoidUnfit(decision, task.node(), task.id());
    if (free && !LiveResize.isJoining(decision.state(), task)) {
      RestartPolicy.replaceContainer(decision, task, failure, RetryBudgetOwner.NOBODY);
      if (canShrink) {
        ElasticPolicy.scheduleShrink(decision);
      }
    } else {
      TaskCompletion.handleFailure(decision, task, failure, false);
    }
  }

  /**
   * Returns true if another failed check may be free of charge. Counts failures instead of avoided
   * nodes, because a node that was avoided and then forgiven may fail again.
   */
  private static boolean mayBeFree(JobState state) {
    return state.clusterView().failedPreflightCount()
            < MAX_FREE_FAILURES + state.tasks().size() / 10
        && AttemptLimits.allowsFreeRestart(state);
  }
}
