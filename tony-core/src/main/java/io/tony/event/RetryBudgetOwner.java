package io.tony.event;

/** At whose expense something is started again. */
public enum RetryBudgetOwner {
  /** The retries of the task's own role. */
  ROLE,
  /** The job's budget for failures of the kind. */
  JOB,
  /** What took it had been paid for by the job before: it took others, too. */
  INCIDENT,
  /** The loss of an ApplicationMaster, which has a limit of its own. */
  NOBODY
}
