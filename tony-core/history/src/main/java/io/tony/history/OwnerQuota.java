package io.tony.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the memory for the summaries of each owner's jobs, because an owner can write any number
 * of logs with any contents. An owner may use up to {@value #FACTOR} times the memory that is still
 * free. So a single owner may use most of the memory, but any number of owners together always
 * leave some for the next one. Thread-safe.
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

  /**
   * Returns a quota of two thirds of the heap; the rest is for reading logs and answering queries.
   */
  static OwnerQuota ofThisProcess() {
    return new OwnerQuota(Runtime.getRuntime().maxMemory() / 3 * 2);
  }

  /**
   * Returns true if more jobs of {@code owner} may be kept in memory. Logs a warning at the first
   * call for which the owner exceeds the limit, and again only after the owner was below it.
   */
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

  /**
   * Adds {@code delta} bytes to the memory used for the owner's jobs; negative for released memory.
   */
  synchronized void add(String owner, long delta) {
    totalBytes += delta;
    usedBytes.merge(owner, delta, (one, other) -> one + other == 0 ? null : one + other);
  }
}
