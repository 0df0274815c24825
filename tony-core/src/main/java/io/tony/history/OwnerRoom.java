package io.tony.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much memory the jobs of each owner may take: logs are their owners' to write. An owner gets
 * {@value #FACTOR} times what is still free, so that one alone may take nearly all, and any number
 * of them together always leave some for the next. For any number of threads.
 */
final class OwnerRoom {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerRoom.class);

  private static final int FACTOR = 8;

  private final long bytes;
  private final Map<String, Long> taken = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private long all;

  OwnerRoom(long bytes) {
    this.bytes = bytes;
  }

  /** Two thirds of what this process may take; the rest is for those who read and ask. */
  static OwnerRoom ofThisProcess() {
    return new OwnerRoom(Runtime.getRuntime().maxMemory() / 3 * 2);
  }

  /** Returns whether more of an owner's jobs may be held; says once when that is over. */
  synchronized boolean hasRoom(String owner) {
    boolean room = taken.getOrDefault(owner, 0L) < FACTOR * (bytes - all);
    if (room) {
      told.remove(owner);
    } else if (told.add(owner)) {
      LOG.warn(
          "The jobs of {} take {} MiB of {} MiB, and no more of them are shown: delete old logs"
              + " (-retention), or give the service more memory (TONY_HISTORY_HEAP)",
          owner,
          taken.getOrDefault(owner, 0L) >> 20,
          bytes >> 20);
    }
    return room;
  }

  /** An owner's jobs take so many bytes more, or less where that is below 0. */
  synchronized void add(String owner, long more) {
    all += more;
    taken.merge(owner, more, (one, other) -> one + other == 0 ? null : one + other);
  }
}
