package io.tony.am.machine;

/** The checkpoints in the cluster's file system. No call waits. */
public interface CheckpointPort {
  /** Of more sets that are not whole, some task keeps none: the oldest are not waited for. */
  int MAX_PARTIAL_SETS = 16;

  /**
   * A set is {@code whole}, or too many are not: those that nobody needs can go. The latter may be
   * said with each checkpoint of each task, and is not acted upon each time.
   */
  void dropOld(boolean setComplete);
}
