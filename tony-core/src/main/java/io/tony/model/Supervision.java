package io.tony.model;

/** What the end of a role's tasks means for the job. */
public enum Supervision {
  /** The job waits for the task. A failure without retries left fails the job. */
  TRACKED,
  /**
   * The job does not wait for the task (a parameter server never ends), but the task's failure
   * fails the job.
   */
  UNTRACKED,
  /** The job neither waits for the task nor fails with it (TensorBoard, a notebook). */
  SIDECAR
}
