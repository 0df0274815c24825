package io.tony.executor.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Where a task's checkpoints are saved, and which one its program resumes from.
 *
 * @param folder URI of the folder that holds all checkpoint sets
 * @param upload how to save the program's checkpoints; null if the task saves none
 * @param resume the checkpoint to resume from; null if the program starts from scratch
 * @param copyTimeoutMs limit for copying the remaining checkpoints after the program's end, in
 *     milliseconds
 */
public record CheckpointPlan(
    String folder, @Nullable Upload upload, @Nullable Resume resume, long copyTimeoutMs) {
  /** The task neither saves checkpoints nor resumes from one. */
  public static final CheckpointPlan NONE = new CheckpointPlan("", null, null, 0);

  /**
   * How to save the checkpoints that the program names.
   *
   * @param generation identifies this session (start of the gang); first part of the names of its
   *     checkpoint sets
   * @param lastNumber if a program names no steps, its checkpoint sets get the numbers after this
   *     one
   * @param taskCount number of tasks that save checkpoints; a set is complete when it holds a
   *     checkpoint of each
   * @param training hash that identifies the training
   * @param application ID of this job's YARN application
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
   * The checkpoint to download before the program starts.
   *
   * @param checkpointName name of the checkpoint set, which is also the name of its folder
   * @param task name of the folder, in the set, of the task whose checkpoint to download
   * @param number number of the set; the training step, if the program that made the set named one
   */
  public record Resume(String checkpointName, String task, long number) {}
}
