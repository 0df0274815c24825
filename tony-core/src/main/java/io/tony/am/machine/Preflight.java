package io.tony.am.machine;

import io.tony.event.RetryBudgetOwner;
import io.tony.model.TaskState;

/**
 * What follows when a container is not fit for its task. Its node is avoided, and the task gets
 * another container at nobody's expense. Where too few nodes would be left, or so many were unfit
 * that it is not the nodes, it is a loss like any other, which has a budget.
 */
final class Preflight {
  /** How many nodes may fail for free: so many, and one for each ten tasks. */
  private static final int MAX_FREE_FAILURES = 10;

  private Preflight() {}

  static void failed(DecisionBuilder draft, Event.PreflightFailed event) {
    // The container is meant: its task may be in a later attempt by now.
    Task task = JobMachine.taskInContainer(draft.state(), event.key());
    if (task == null || task.state() != TaskState.LAUNCHING) {
      return; // it was given up meanwhile
    }
    TaskFailure failure = TaskFailure.preflightFailed(task, event.message());
    boolean canShrink = ElasticPolicy.canDoWithout(draft.state(), task, failure);
    draft.record(failure.toFact(draft.state(), task));
    boolean free =
        mayBeFree(draft.state()) && NodeAvoidance.avoidUnfit(draft, task.node(), task.id());
    if (free && !LiveResize.isJoining(draft.state(), task)) {
      RestartPolicy.tryReplaceContainer(draft, task, failure, RetryBudgetOwner.NOBODY);
      if (canShrink) {
        ElasticPolicy.scheduleShrink(draft);
      }
    } else {
      TaskCompletion.afterFailure(draft, task, failure, false);
    }
  }

  /** Nodes that are avoided are forgiven when no others come, and may fail again. */
  private static boolean mayBeFree(JobState state) {
    return state.clusterView().unfitCount() < MAX_FREE_FAILURES + state.tasks().size() / 10
        && AttemptLimits.allowsFreeRestart(state);
  }
}
