package io.tony.event;

/** Whose retry budget a restart is charged to. */
public enum RetryBudgetOwner {
  /** The role of the failed task: its own budget is charged. */
  ROLE,
  /** The job: its budget for failures of this kind is charged. */
  JOB,
  /**
   * Nobody, because the failure is a consequence of a failure that another task reported and for
   * which the job has already been charged.
   */
  INCIDENT,
  /**
   * Nobody, because the restart is free, for example after the loss of an ApplicationMaster (which
   * has a limit of its own), a failed preflight check, a resize, or a loss that has already been
   * charged.
   */
  NOBODY
}
