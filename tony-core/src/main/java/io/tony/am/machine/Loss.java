package io.tony.am.machine;

import io.tony.fact.Payer;
import io.tony.model.FailureKind;

/**
 * Why a start was made again.
 *
 * @param shared its cause may have taken other tasks, too
 */
record Loss(Payer payer, FailureKind kind, boolean shared) {
  JobState paid(JobState state, int left) {
    if (payer != Payer.JOB) {
      return state;
    }
    JobState paid = state.with(state.budget().withLeft(kind, left));
    return shared ? paid.with(paid.gang().charged(kind)) : paid;
  }

  Task counted(Task task) {
    boolean counts = shared && (payer == Payer.JOB || payer == Payer.INCIDENT);
    return counts ? task.lost(kind) : task;
  }
}
