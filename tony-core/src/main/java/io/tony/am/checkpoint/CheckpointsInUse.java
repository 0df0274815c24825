package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which sets the starts of the gang's present session go on from: their tasks may be reading them
 * for as long as it runs. A set is either in use or let go, whoever asks first.
 *
 * <p>A task that is behind the others may keep a set anew that was deleted. So a set is gone only
 * for whoever has looked before its deletion was over. For use by several threads.
 */
final class CheckpointsInUse {
  private static final long NOT_YET = Long.MAX_VALUE;

  private final Set<CheckpointName> used = new HashSet<>();

  /** When each deletion was over, as {@link #version} counts. */
  private final Map<CheckpointName, Long> deletedAt = new HashMap<>();

  private long version;
  private int session;
  private boolean deletionRefused;
  private boolean finished;

  /** What whoever looks from now on sees is newer than all deletions that are over. */
  synchronized long version() {
    return version;
  }

  /**
   * A start is to go on from there; false where it is let go already.
   *
   * @param listedVersion when it was looked for
   */
  synchronized boolean tryUse(int ofSession, CheckpointName set, long listedVersion) {
    if (isDeleted(set, listedVersion)) {
      return false;
    }
    startSession(ofSession);
    used.add(set);
    return true;
  }

  /** The tasks of sessions before this one have ended, or are told to. */
  synchronized void startSession(int ofSession) {
    if (ofSession > session) {
      session = ofSession;
      used.clear();
    }
  }

  /**
   * It is to be deleted; false where it is in use.
   *
   * @param beingWritten whether a task may just be writing into it
   */
  synchronized boolean tryMarkForDeletion(CheckpointName set, boolean beingWritten) {
    if (used.contains(set) || (beingWritten && !finished)) {
      deletionRefused = true;
      return false;
    }
    deletedAt.put(set, NOT_YET);
    return true;
  }

  /** What was let go is deleted, or could not be: whoever looks from now on sees what there is. */
  synchronized void recordDeleted(CheckpointName set) {
    version++;
    deletedAt.put(set, version);
  }

  /** No start is to come, and none runs. Whether any set stayed only because it was in use. */
  synchronized boolean releaseAll() {
    used.clear();
    finished = true;
    return deletionRefused;
  }

  /** Whether it is deleted, or will be, for one who {@code seen} has looked. */
  synchronized boolean isDeleted(CheckpointName set, long listedVersion) {
    return deletedAt.getOrDefault(set, 0L) > listedVersion;
  }
}
