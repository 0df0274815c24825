package io.tony.am.http;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Counts the bytes that a server buffers for its connections: incomplete requests, and answers that
 * the peers have not read yet. An answer counts once, however many connections it is sent to. Not
 * thread-safe.
 */
final class BufferedBytes {
  private final IdentityHashMap<byte[], Integer> answers = new IdentityHashMap<>();
  private final long maxBytes;
  private final List<Set<Connection>> connectionSets;
  private final RejectionLog rejections;
  private long bytes;

  /**
   * Creates a counter with nothing to count yet.
   *
   * @param maxBytes maximum total, above which {@link #makeRoom} closes connections
   * @param connectionSets the connections that {@link #makeRoom} may close, in this order. Each set
   *     must iterate from the oldest connection to the newest.
   */
  BufferedBytes(long maxBytes, List<Set<Connection>> connectionSets, RejectionLog rejections) {
    this.maxBytes = maxBytes;
    this.connectionSets = connectionSets;
    this.rejections = rejections;
  }

  /** Changes the number of bytes of incomplete requests by {@code delta}, which may be negative. */
  void add(int delta) {
    bytes += delta;
  }

  /** Adds a reference to an answer. The answer's bytes are counted with its first reference. */
  void add(byte[] answer) {
    if (answers.merge(answer, 1, Integer::sum) == 1) {
      bytes += answer.length;
    }
  }

  /** Removes a reference to an answer that was sent or whose connection has closed. */
  void remove(byte[] answer) {
    if (answers.computeIfPresent(answer, (same, count) -> count == 1 ? null : count - 1) == null) {
      bytes -= answer.length;
    }
  }

  /** Closes connections that have buffered bytes until the total does not exceed the maximum. */
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
