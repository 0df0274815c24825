package io.tony.am.http;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * How much a server keeps for its callers: requests that have come in part, and answers that are
 * not read. An answer counts once, however many are told it.
 */
final class BufferedBytes {
  private final IdentityHashMap<byte[], Integer> answers = new IdentityHashMap<>();
  private final long maxBytes;
  private final List<Set<Connection>> connectionSets;
  private final RejectionLog rejections;
  private long bytes;

  /** {@code callers} are closed for room: first those of the first set, the oldest first. */
  BufferedBytes(long maxBytes, List<Set<Connection>> connectionSets, RejectionLog rejections) {
    this.maxBytes = maxBytes;
    this.connectionSets = connectionSets;
    this.rejections = rejections;
  }

  /** So many bytes of requests more, or fewer. */
  void add(int delta) {
    bytes += delta;
  }

  /** One more is told it. */
  void add(byte[] answer) {
    if (answers.merge(answer, 1, Integer::sum) == 1) {
      bytes += answer.length;
    }
  }

  /** One of those has read it, or is gone. */
  void remove(byte[] answer) {
    if (answers.computeIfPresent(answer, (same, count) -> count == 1 ? null : count - 1) == null) {
      bytes -= answer.length;
    }
  }

  /** Closes callers for which something is kept, while it is too much. */
  void makeRoom() {
    if (bytes <= maxBytes) {
      return;
    }
    rejections.logRejection(
        "bytes of unfinished requests and unread answers",
        "above " + maxBytes + ": the oldest are closed");
    for (Set<Connection> some : connectionSets) {
      for (Connection oldest : List.copyOf(some)) {
        if (bytes <= maxBytes) {
          return;
        }
        if (oldest.hasBufferedBytes()) {
          oldest.close();
        }
      }
    }
  }
}
