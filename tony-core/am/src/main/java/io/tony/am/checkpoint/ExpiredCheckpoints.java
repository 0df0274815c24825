package io.tony.am.checkpoint;

import io.tony.am.machine.CheckpointPort;
import io.tony.checkpoint.CheckpointName;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the checkpoint sets that no start would resume from. A set that stays by mistake does no
 * harm.
 *
 * @param keepCount number of complete sets to keep
 * @param deletable determines which sets may be deleted; all others stay, and are not counted among
 *     the {@code keepCount} complete sets
 * @param inUse sets in use, which are not deleted
 * @param currentGeneration generation of the gang's current start, whose tasks may still be
 *     writing; no task writes into incomplete sets of other generations
 */
record ExpiredCheckpoints(
    CheckpointListing folders,
    int keepCount,
    DeletableCheckpoints deletable,
    CheckpointsInUse inUse,
    String currentGeneration) {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiredCheckpoints.class);

  /**
   * Deletes all sets older than the newest {@code keepCount} complete ones. Also deletes a newer,
   * incomplete set if there are at least {@link CheckpointPort#MAX_PARTIAL_SETS} incomplete sets
   * newer than it, unless it has the newest checkpoint of a task.
   */
  void sweep() throws IOException {
    int completeCount = 0;
    int partialCount = 0;
    // Folders of the tasks that have a checkpoint in one of the sets seen so far, which are newer.
    Set<String> tasks = new HashSet<>();
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
