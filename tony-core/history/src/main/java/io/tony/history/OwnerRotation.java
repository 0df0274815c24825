package io.tony.history;

import java.util.HashMap;
import java.util.Map;

/**
 * Selects which of an owner's unfinished logs are read again in one round, which is one update of
 * the index. An unfinished log is one whose job has not ended as far as the log was read. If an
 * owner has very many, each round reads only a part of them, so that they do not delay the logs of
 * other owners. Not thread-safe.
 */
final class OwnerRotation {
  /**
   * Approximate maximum number of unfinished logs of one owner that are read again in one round.
   */
  static final int MAX_LOGS = 500;

  // Number of unfinished logs by owner, in the previous round.
  private Map<String, Integer> previousCounts = new HashMap<>();
  private Map<String, Integer> counts = new HashMap<>();
  private int round;

  /** Starts the next round. */
  void startRound() {
    previousCounts = counts;
    counts = new HashMap<>();
    round++;
  }

  /**
   * Counts one unfinished log of {@code owner}; returns true if it is to be read in this round.
   * Call once for each such log in each round, always in the same order.
   */
  boolean recordIfDue(String owner) {
    int number = counts.merge(owner, 1, Integer::sum);
    int parts = 1 + previousCounts.getOrDefault(owner, 0) / MAX_LOGS;
    return number % parts == round % parts;
  }
}
