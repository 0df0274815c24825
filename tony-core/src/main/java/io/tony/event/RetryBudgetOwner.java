package io.tony.event;

/** The retry budget that a restart is charged to. */
public enum RetryBudgetOwner {
  /** The retries of the task's own role. */
  ROLE,
  /** The job's budget for failures of the same kind. */
  JOB,
  /** No budget: the same failure has already been charged to the job for another task. */
  INCIDENT,
  /**
   * No budget: the restart is free, for example after the loss of an ApplicationMaster (which has a
   * limit of its own), a failed preflight, a resize, or a loss that was charged before.
   */
  NOBODY
}
