package io.tony.am.machine;

import io.tony.event.RetryBudgetOwner;
import io.tony.model.TaskState;

/**
 * Handles a failed preflight check. The container's node is avoided, and the task gets another
 * container free of charge. If too few nodes would be left, or so many failed that the nodes are
 * not the cause, the failure counts as a loss with its retry budget.
 */
final class Preflight {
  /** Number of nodes that may fail free of charge, in addition to one for every ten tasks. */
  private static final int MAX_FREE_FAILURES = 10;

  private Preflight() {}

  static void failed(DecisionBuilder decision, Event.PreflightFailed event) {
    // The event is about the container; its task may be in a later attempt by now.
    Task task = JobMachine.taskInContainer(decision.state(), event.key());
    if (task == null || task.state() != TaskState.LAUNCHING) {
      return; // the container was given up in the meantime
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
   * Returns true if one more failure may be free. Counts failures rather than avoided nodes,
   * because nodes are forgiven when no others are granted, and may fail again.
   */
  private static boolean mayBeFree(JobState state) {
    return state.clusterView().failedPreflightCount()
            < MAX_FREE_FAILURES + state.tasks().size() / 10
        && AttemptLimits.allowsFreeRestart(state);
  }
}
