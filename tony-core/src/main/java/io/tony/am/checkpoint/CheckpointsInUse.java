package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Sets that the starts in the gang's current session resume from: their tasks may read these sets
 * as long as the session runs. A set is either in use or marked for deletion, whichever comes
 * first.
 *
 * <p>A slow task may write a deleted set again. So a set counts as deleted only for listings made
 * before its deletion ended; see {@link #version}. Thread-safe.
 */
final class CheckpointsInUse {
  private static final long NOT_YET = Long.MAX_VALUE;

  private final Set<CheckpointName> used = new HashSet<>();

  /**
   * Value of {@link #version} when each deletion ended; {@link #NOT_YET} while it is in progress.
   */
  private final Map<CheckpointName, Long> deletedAt = new HashMap<>();

  private long version;
  private int session;
  private boolean deletionRefused;
  private boolean finished;

  /**
   * Returns the current version. A listing made from now on reflects all deletions that have ended.
   */
  synchronized long version() {
    return version;
  }

  /**
   * Marks a set as used by a start of this session; false if the set is already marked for
   * deletion.
   *
   * @param listedVersion {@link #version} before the set was listed
   */
  synchronized boolean tryUse(int ofSession, CheckpointName set, long listedVersion) {
    if (isDeleted(set, listedVersion)) {
      return false;
    }
    startSession(ofSession);
    used.add(set);
    return true;
  }

  /**
   * Begins a session if it is newer, and releases all sets: tasks of earlier sessions have ended or
   * were asked to end.
   */
  synchronized void startSession(int ofSession) {
    if (ofSession > session) {
      session = ofSession;
      used.clear();
    }
  }

  /**
   * Marks a set for deletion; false if the set is in use or may be being written.
   *
   * @param beingWritten whether a task may be writing into the set
   */
  synchronized boolean tryMarkForDeletion(CheckpointName set, boolean beingWritten) {
    if (used.contains(set) || (beingWritten && !finished)) {
      deletionRefused = true;
      return false;
    }
    deletedAt.put(set, NOT_YET);
    return true;
  }

  /**
   * Notes that a deletion has ended, successfully or not: listings made from now on show what is
   * left.
   */
  synchronized void recordDeleted(CheckpointName set) {
    version++;
    deletedAt.put(set, version);
  }

  /**
   * Releases all sets at the job's end, when no task runs or starts any more. Returns true if a
   * deletion was refused before, so that another sweep is worthwhile.
   */
  synchronized boolean releaseAll() {
    used.clear();
    finished = true;
    return deletionRefused;
  }

  /**
   * Returns whether the set is deleted, or will be, for a listing made at {@code listedVersion}.
   */
  synchronized boolean isDeleted(CheckpointName set, long listedVersion) {
    return deletedAt.getOrDefault(set, 0L) > listedVersion;
  }
}
