package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Prevents the deletion of checkpoint sets that tasks of the gang's current session resume from. A
 * set in use cannot be marked for deletion, and a marked set cannot be used.
 *
 * <p>A slow task may write into a set again after its deletion. A listing made after the deletion
 * shows that set as new, so the set is usable again; for older listings, it stays deleted (see
 * {@link #version}). Thread-safe.
 */
final class CheckpointsInUse {
  private static final long NOT_YET = Long.MAX_VALUE;

  private final Set<CheckpointName> used = new HashSet<>();

  /**
   * Value of {@link #version} at the end of each set's deletion; {@link #NOT_YET} while the
   * deletion is in progress.
   */
  private final Map<CheckpointName, Long> deletedAt = new HashMap<>();

  private long version;
  private int session;
  private boolean deletionRefused;
  private boolean finished;

  /**
   * Returns the number of deletions that have ended. A listing that starts after this call reflects
   * all of them.
   */
  synchronized long version() {
    return version;
  }

  /**
   * Marks a set as used by a start in the session {@code ofSession}. Returns false, and marks
   * nothing, if the set is being deleted, or was deleted after the caller listed the sets.
   *
   * @param listedVersion value of {@link #version} before the caller listed the sets
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
   * Begins this session if it is newer than the current one, and then releases all sets in use:
   * tasks of earlier sessions have ended or were asked to end.
   */
  synchronized void startSession(int ofSession) {
    if (ofSession > session) {
      session = ofSession;
      used.clear();
    }
  }

  /**
   * Marks a set for deletion. Returns false, and marks nothing, if the set is in use, or if a task
   * may be writing into it and the job has not ended.
   *
   * @param beingWritten whether a task may be writing into the set while the job runs
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
   * Records that a set's deletion has ended, successfully or not. Listings made from now on show
   * what is left of the set.
   */
  synchronized void recordDeleted(CheckpointName set) {
    version++;
    deletedAt.put(set, version);
  }

  /**
   * Releases all sets at the job's end, when no task runs or starts any more. Returns true if a
   * deletion was refused before, so that another sweep is useful.
   */
  synchronized boolean releaseAll() {
    used.clear();
    finished = true;
    return deletionRefused;
  }

  /**
   * Returns whether a set from a listing made at this {@link #version} has since been deleted or
   * marked for deletion.
   */
  synchronized boolean isDeleted(CheckpointName set, long listedVersion) {
    return deletedAt.getOrDefault(set, 0L) > listedVersion;
  }
}
