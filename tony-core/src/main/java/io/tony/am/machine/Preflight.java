package io.tony.am.machine;

import io.tony.fact.Payer;
import io.tony.model.TaskState;

/**
 * What follows when a container is not fit for its task. Its node is avoided, and the task gets
 * another container at nobody's expense. Where too few nodes would be left, or so many were unfit
 * that it is not the nodes, it is a loss like any other, which has a budget.
 */
final class Preflight {
  /** How many nodes may fail for free: so many, and one for each ten tasks. */
  private static final int FREE = 10;

  private Preflight() {}

  static void failed(Draft draft, Event.PreflightFailed event) {
    // The container is meant: its task may be in a later attempt by now.
    Task task = JobMachine.inContainer(draft.state(), event.key());
    if (task == null || task.state() != TaskState.LAUNCHING) {
      return; // it was given up meanwhile
    }
    TaskFailure failure = TaskFailure.preflight(task, event.message());
    boolean without = Elastic.canDoWithout(draft.state(), task, failure);
    draft.record(failure.fact(draft.state(), task));
    boolean free = mayBeFree(draft.state()) && Avoidance.avoidUnfit(draft, task.node(), task.id());
    if (free && !Joining.isNew(draft.state(), task)) {
      Restarting.replace(draft, task, failure, Payer.NOBODY);
      if (without) {
        Elastic.settleSoon(draft);
      }
    } else {
      Outcomes.afterFailure(draft, task, failure, false);
    }
  }

  /** Nodes that are avoided are forgiven when no others come, and may fail again. */
  private static boolean mayBeFree(JobState state) {
    return state.clusterView().unfit() < FREE + state.tasks().size() / 10
        && Attempts.mayBeFree(state);
  }
}
