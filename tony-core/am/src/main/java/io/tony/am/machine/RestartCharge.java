package io.tony.am.machine;

import io.tony.event.RetryBudgetOwner;
import io.tony.model.FailureKind;

/**
 * Which retry budget pays for a restart.
 *
 * @param chargedTo owner of the budget
 * @param kind failure kind to whose retries the restart is charged
 * @param shared true if the cause may have affected other tasks as well, so that the charge may
 *     cover their losses, too
 */
record RestartCharge(RetryBudgetOwner chargedTo, FailureKind kind, boolean shared) {
  JobState withBudgetCharged(JobState state, int remaining) {
    if (chargedTo != RetryBudgetOwner.JOB) {
      return state;
    }
    JobState charged = state.with(state.budget().withRemaining(kind, remaining));
    return shared ? charged.with(charged.gang().withCharge(kind)) : charged;
  }

  Task withLossCounted(Task task) {
    boolean counts =
        shared && (chargedTo == RetryBudgetOwner.JOB || chargedTo == RetryBudgetOwner.INCIDENT);
    return counts ? task.withLoss(kind) : task;
  }
}
