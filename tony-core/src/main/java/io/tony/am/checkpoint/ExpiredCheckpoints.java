package io.tony.am.checkpoint;

import io.tony.am.machine.CheckpointPort;
import io.tony.checkpoint.CheckpointName;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the sets of checkpoints that no start would resume from. A set that stays by mistake does
 * no harm.
 *
 * @param keepCount number of complete sets to keep
 * @param deletable sets that may be deleted; others are ignored
 * @param inUse sets that are in use and stay
 * @param currentGeneration generation of the current start, whose tasks may be writing; incomplete
 *     sets of other generations are not written any more
 */
record ExpiredCheckpoints(
    CheckpointListing folders,
    int keepCount,
    DeletableCheckpoints deletable,
    CheckpointsInUse inUse,
    String currentGeneration) {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredCheckpoints.class);

  /**
   * Keeps the newest {@code keepCount} complete sets and all newer ones. Of the newer ones, deletes
   * an incomplete set if at least {@link CheckpointPort#MAX_PARTIAL_SETS} incomplete sets are
   * newer, unless it holds the newest checkpoint of a task.
   */
  void sweep() throws IOException {
    int completeCount = 0;
    int partialCount = 0;
    Set<String> tasks = new HashSet<>(); // that have a checkpoint in a newer set
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
