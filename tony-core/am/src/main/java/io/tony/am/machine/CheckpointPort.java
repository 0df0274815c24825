package io.tony.am.machine;

/** Access to the job's checkpoints in the cluster's file system. No method blocks. */
public interface CheckpointPort {
  /**
   * Maximum number of incomplete checkpoint sets that the job's state lists. If there are more,
   * some task probably saves no checkpoints, and the oldest of these sets is removed from the
   * state.
   */
  int MAX_PARTIAL_SETS = 16;

  /**
   * Deletes checkpoints that are no longer needed.
   *
   * @param setComplete true if a checkpoint set has become complete; false if there are too many
   *     incomplete sets. With false, this may be called after every checkpoint of every task, and
   *     an implementation may ignore some of these calls.
   */
  void dropOld(boolean setComplete);
}
