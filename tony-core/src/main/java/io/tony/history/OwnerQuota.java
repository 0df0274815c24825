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
final class OwnerQuota {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerQuota.class);

  private static final int FACTOR = 8;

  private final long maxBytes;
  private final Map<String, Long> usedBytes = new HashMap<>();
  private final Set<String> loggedOwners = new HashSet<>();
  private long totalBytes;

  OwnerQuota(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Two thirds of what this process may take; the rest is for those who read and ask. */
  static OwnerQuota ofThisProcess() {
    return new OwnerQuota(Runtime.getRuntime().maxMemory() / 3 * 2);
  }

  /** Returns whether more of an owner's jobs may be held; says once when that is over. */
  synchronized boolean hasRoom(String owner) {
    boolean withinQuota = usedBytes.getOrDefault(owner, 0L) < FACTOR * (maxBytes - totalBytes);
    if (withinQuota) {
      loggedOwners.remove(owner);
    } else if (loggedOwners.add(owner)) {
      LOG.warn(
          "The jobs of {} take {} MiB of {} MiB, and no more of them are shown: delete old logs"
              + " (-retention), or give the service more memory (TONY_HISTORY_HEAP)",
          owner,
          usedBytes.getOrDefault(owner, 0L) >> 20,
          maxBytes >> 20);
    }
    return withinQuota;
  }

  /** An owner's jobs take so many bytes more, or less where that is below 0. */
  synchronized void add(String owner, long delta) {
    totalBytes += delta;
    usedBytes.merge(owner, delta, (one, other) -> one + other == 0 ? null : one + other);
  }
}
