package io.tony.event;

/** The retry budget that a restart is charged to. */
public enum RetryBudgetOwner {
  /** The retries of the task's own role. */
  ROLE,
  /** The job's budget for failures of the same kind. */
  JOB,
  /** No budget: the same failure has already been charged to the job for another task. */
  INCIDENT,
  /** No budget: an ApplicationMaster was lost, which has a limit of its own. */
  NOBODY
}
