package io.tony.am.machine;

/** Access to the checkpoints in the cluster's file system. No method blocks. */
public interface CheckpointPort {
  /**
   * Maximum number of incomplete checkpoint sets remembered. With more, some task evidently saves
   * none, and the oldest set is dropped.
   */
  int MAX_PARTIAL_SETS = 16;

  /**
   * Deletes checkpoints that are no longer needed.
   *
   * @param setComplete true if a checkpoint set has become complete; false if there are too many
   *     incomplete sets. The latter may be called for every checkpoint of every task and does not
   *     delete each time.
   */
  void dropOld(boolean setComplete);
}
