package io.tony.executor.rpc;

/**
 * Where a task's checkpoints are kept, and which one its program resumes from.
 *
 * @param folder URI of the folder that holds all checkpoint sets
 * @param upload null if the task keeps no checkpoints
 * @param resume null if the program starts from scratch
 * @param copyTimeoutMs limit for copying the remaining checkpoints after the program's end, in
 *     milliseconds
 */
public record CheckpointPlan(String folder, Upload upload, Resume resume, long copyTimeoutMs) {
  /** The task neither keeps checkpoints nor resumes from one. */
  public static final CheckpointPlan NONE = new CheckpointPlan("", null, null, 0);

  /**
   * How to keep the checkpoints that the program names.
   *
   * @param generation identifies this start of the gang; the first part of the names of its sets
   * @param lastNumber number after which sets are numbered if the program names no steps
   * @param taskCount number of tasks that keep checkpoints; a set is complete when it holds one of
   *     each
   * @param training hash that identifies the training
   * @param application ID of this application
   * @param maker creator of the checkpoints, as text for users; may be empty
   */
  public record Upload(
      String generation,
      long lastNumber,
      int taskCount,
      String training,
      String application,
      String maker) {}

  /**
   * A checkpoint to restore before the program starts.
   *
   * @param checkpointName name of the checkpoint set's folder
   * @param task name of a task's folder in the set
   * @param number number of the set; a step if its program named one
   */
  public record Resume(String checkpointName, String task, long number) {}
}
