package io.tony.executor.rpc;

/**
 * Where a task's checkpoints go to, and which one it goes on from.
 *
 * @param folder URI of the folder with all sets of checkpoints
 * @param upload null where the task keeps none
 * @param resume null where it begins anew
 * @param copyTimeoutMs for what is left to copy when the program has ended
 */
public record CheckpointPlan(String folder, Upload upload, Resume resume, long copyTimeoutMs) {
  /** The task neither keeps nor resumes any. */
  public static final CheckpointPlan NONE = new CheckpointPlan("", null, null, 0);

  /**
   * How what the program names is kept.
   *
   * @param generation which start of the gang this is: the first part of the names of its sets
   * @param lastNumber the number from which a program goes on that names no steps
   * @param taskCount how many tasks keep checkpoints: a set is whole when all of them are in it
   * @param training a hash of what trains
   * @param application that this is
   * @param maker the same for people; may be empty
   */
  public record Upload(
      String generation,
      long lastNumber,
      int taskCount,
      String training,
      String application,
      String maker) {}

  /**
   * What is to be brought back before the program starts.
   *
   * @param checkpointName name of the set's folder
   * @param task name of a task's folder in it
   * @param number of the set, which is a step where its program named one
   */
  public record Resume(String checkpointName, String task, long number) {}
}
