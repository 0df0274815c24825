package io.tony.am.checkpoint;

import io.tony.checkpoint.SetName;
import java.util.HashSet;
import java.util.Set;

/**
 * Which sets the starts of the gang's present session go on from: their tasks may be reading them
 * for as long as it runs. A set is either in use or let go, whoever asks first. For use by several
 * threads.
 */
final class SetsInUse {
  private final Set<SetName> used = new HashSet<>();
  private final Set<SetName> gone = new HashSet<>();
  private int session;
  private boolean refused;

  /** A start is to go on from there; false where it is let go already. */
  synchronized boolean use(int ofSession, SetName set) {
    if (gone.contains(set)) {
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

  /** It is to be deleted; false where it is in use. */
  synchronized boolean letGo(SetName set) {
    if (used.contains(set)) {
      refused = true;
      return false;
    }
    gone.add(set);
    return true;
  }

  /** No start is to come, and none runs. Whether any set stayed only because it was in use. */
  synchronized boolean over() {
    used.clear();
    return refused;
  }

  /** Whether it is deleted, or will be. */
  synchronized boolean isGone(SetName set) {
    return gone.contains(set);
  }
}
