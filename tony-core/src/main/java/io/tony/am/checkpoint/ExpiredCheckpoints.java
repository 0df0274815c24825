package io.tony.am.checkpoint;

import io.tony.am.machine.CheckpointPort;
import io.tony.checkpoint.CheckpointName;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the sets of checkpoints that no start would go on from. It costs no job anything that one
 * stays.
 *
 * @param keepCount how many whole ones stay
 * @param deletable which it may delete; others are passed over
 * @param inUse which stay all the same
 * @param currentGeneration generation of the start whose tasks may be writing: what others left
 *     unfinished is nobody's
 */
record ExpiredCheckpoints(
    CheckpointFolders folders,
    int keepCount,
    DeletableCheckpoints deletable,
    CheckpointsInUse inUse,
    String currentGeneration) {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredCheckpoints.class);

  /**
   * Keeps the newest whole ones, and what is newer than the oldest of them. Of the latter, sets
   * that are not whole go as well when there are many newer ones, except for the newest of each
   * task.
   */
  void sweep() throws IOException {
    int completeCount = 0;
    int partialCount = 0;
    Set<String> tasks = new HashSet<>(); // that have a newer one
    for (CheckpointName set : folders.sets()) {
      if (!deletable.contains(set)) {
        continue;
      }
      if (completeCount == keepCount) {
        delete(set, "are not needed any more");
      } else if (folders.completeTaskCount(set) > 0) {
        tasks.addAll(folders.tasks(set));
        completeCount++;
      } else {
        boolean newestOfATask = tasks.addAll(folders.tasks(set));
        partialCount++;
        if (partialCount > CheckpointPort.MAX_PARTIAL_SETS && !newestOfATask) {
          delete(set, "lack those of some tasks, as do many newer ones");
        }
      }
    }
  }

  private void delete(CheckpointName set, String why) throws IOException {
    boolean beingWritten =
        set.generation().equals(currentGeneration) && folders.isBeingWritten(set);
    if (inUse.tryMarkForDeletion(set, beingWritten)) {
      LOG.info("The checkpoints {} {}", set, why);
      try {
        folders.delete(set);
      } finally {
        inUse.recordDeleted(set);
      }
    }
  }
}
