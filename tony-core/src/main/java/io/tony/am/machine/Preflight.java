package io.tony.am.machine;

import io.tony.fact.Payer;
import io.tony.model.TaskState;

/**
 * What follows when a container is not fit for its task. Its node is avoided, and the task gets
 * another container at nobody's expense. Where the node cannot be avoided, because too few would be
 * left or it is avoided already, it is a loss like any other: that bounds how often it is tried.
 */
final class Preflight {
  private Preflight() {}

  static void failed(Draft draft, Event.PreflightFailed event) {
    Task task = JobMachine.current(draft.state(), event.key());
    if (task == null || task.state() != TaskState.LAUNCHING) {
      return; // its container was given up meanwhile
    }
    TaskFailure failure = TaskFailure.preflight(task, event.message());
    boolean without = Elastic.canDoWithout(draft.state(), task, failure);
    draft.record(failure.fact(draft.state(), task));
    if (Avoidance.avoid(draft, task.node(), "it failed the preflight of " + task.id())) {
      Restarting.replace(draft, task, failure, Payer.NOBODY);
      if (without) {
        Elastic.settleSoon(draft);
      }
    } else {
      Outcomes.afterFailure(draft, task, failure, false);
    }
  }
}
