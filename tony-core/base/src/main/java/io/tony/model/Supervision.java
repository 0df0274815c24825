package io.tony.model;

/** What the end of a role's tasks means for the job. */
public enum Supervision {
  /** The job waits for the task's end, and fails if the task fails and has no retries left. */
  TRACKED,
  /**
   * The job does not wait for the task's end (a parameter server never ends), but fails if the task
   * fails.
   */
  UNTRACKED,
  /** The job neither waits for the task's end nor fails with it (TensorBoard, a notebook). */
  SIDECAR
}
