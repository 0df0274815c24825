package io.tony.am.checkpoint;

import io.tony.checkpoint.SetName;
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
final class SetsInUse {
  private static final long NOT_YET = Long.MAX_VALUE;

  private final Set<SetName> used = new HashSet<>();

  /** When each deletion was over, as {@link #now} counts. */
  private final Map<SetName, Long> gone = new HashMap<>();

  private long deletions;
  private int session;
  private boolean refused;
  private boolean over;

  /** What whoever looks from now on sees is newer than all deletions that are over. */
  synchronized long now() {
    return deletions;
  }

  /**
   * A start is to go on from there; false where it is let go already.
   *
   * @param seen when it was looked for
   */
  synchronized boolean use(int ofSession, SetName set, long seen) {
    if (isGone(set, seen)) {
      return false;
    }
    began(ofSession);
    used.add(set);
    return true;
  }

  /** The tasks of sessions before this one have ended, or are told to. */
  synchronized void began(int ofSession) {
    if (ofSession > session) {
      session = ofSession;
      used.clear();
    }
  }

  /**
   * It is to be deleted; false where it is in use.
   *
   * @param written whether a task may just be writing into it
   */
  synchronized boolean letGo(SetName set, boolean written) {
    if (used.contains(set) || (written && !over)) {
      refused = true;
      return false;
    }
    gone.put(set, NOT_YET);
    return true;
  }

  /** What was let go is deleted, or could not be: whoever looks from now on sees what there is. */
  synchronized void deleted(SetName set) {
    deletions++;
    gone.put(set, deletions);
  }

  /** No start is to come, and none runs. Whether any set stayed only because it was in use. */
  synchronized boolean over() {
    used.clear();
    over = true;
    return refused;
  }

  /** Whether it is deleted, or will be, for one who {@code seen} has looked. */
  synchronized boolean isGone(SetName set, long seen) {
    return gone.getOrDefault(set, 0L) > seen;
  }
}
