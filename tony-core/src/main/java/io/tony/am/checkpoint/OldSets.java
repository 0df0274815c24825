package io.tony.am.checkpoint;

import io.tony.am.machine.CheckpointPort;
import io.tony.checkpoint.SetName;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the sets of checkpoints that no start would go on from. It costs no job anything that one
 * stays.
 *
 * @param keep how many whole ones stay
 * @param own which it may delete; others are passed over
 * @param inUse which stay all the same
 * @param present generation of the start whose tasks may be writing: what others left unfinished is
 *     nobody's
 */
record OldSets(SetFolders folders, int keep, OwnSets own, SetsInUse inUse, String present) {
  private static final Logger LOG = LoggerFactory.getLogger(OldSets.class);

  /**
   * Keeps the newest whole ones, and what is newer than the oldest of them. Of the latter, sets
   * that are not whole go as well when there are many newer ones, except for the newest of each
   * task.
   */
  void sweep() throws IOException {
    int whole = 0;
    int parts = 0;
    Set<String> tasks = new HashSet<>(); // that have a newer one
    for (SetName set : folders.sets()) {
      if (!own.contain(set)) {
        continue;
      }
      if (whole == keep) {
        delete(set, "are not needed any more");
      } else if (folders.wholeOf(set) > 0) {
        tasks.addAll(folders.tasks(set));
        whole++;
      } else {
        boolean newestOfATask = tasks.addAll(folders.tasks(set));
        parts++;
        if (parts > CheckpointPort.MOST_PARTS && !newestOfATask) {
          delete(set, "lack those of some tasks, as do many newer ones");
        }
      }
    }
  }

  private void delete(SetName set, String why) throws IOException {
    boolean written = set.generation().equals(present) && folders.isWritten(set);
    if (inUse.letGo(set, written)) {
      LOG.info("The checkpoints {} {}", set, why);
      try {
        folders.delete(set);
      } finally {
        inUse.deleted(set);
      }
    }
  }
}
