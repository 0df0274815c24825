package io.tony.model;

/** What the end of a role's tasks means for the job. */
public enum Supervision {
  /** The job waits for the task; a failure of it, retries spent, fails the job. */
  TRACKED,
  /**
   * The job does not wait for the task (a parameter server never ends); its failure fails the job.
   */
  UNTRACKED,
  /** The job neither waits for the task nor minds its failure (TensorBoard, a notebook). */
  SIDECAR
}
