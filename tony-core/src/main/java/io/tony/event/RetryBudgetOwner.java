package io.tony.event;

/** Owner of the retry budget that a restart is charged to. */
public enum RetryBudgetOwner {
  /** The role of the failed task, whose budget is charged. */
  ROLE,
  /** The job, whose budget for failures of this kind is charged. */
  JOB,
  /**
   * No budget is charged: the job has already been charged for the same failure, reported by
   * another task.
   */
  INCIDENT,
  /**
   * No budget is charged: the restart is free, for example after the loss of an ApplicationMaster
   * (which has a limit of its own), a failed preflight, a resize, or a loss that has already been
   * charged.
   */
  NOBODY
}
