package io.tony.history;

import java.util.HashMap;
import java.util.Map;

/**
 * Selects which of an owner's unfinished logs are read in one round. The logs of an owner with very
 * many are read in turns, so that they do not delay the logs of other owners. Not thread-safe.
 */
final class OwnerRotation {
  /** Maximum number of unfinished logs of one owner that are read in one round. */
  static final int MAX_LOGS = 500;

  private Map<String, Integer> previousCounts = new HashMap<>(); // of the previous round
  private Map<String, Integer> counts = new HashMap<>();
  private int round;

  /** Starts the next round. */
  void startRound() {
    previousCounts = counts;
    counts = new HashMap<>();
    round++;
  }

  /**
   * Returns true if the owner's next unfinished log is to be read in this round. Call once for each
   * log.
   */
  boolean recordIfDue(String owner) {
    int number = counts.merge(owner, 1, Integer::sum);
    int parts = 1 + previousCounts.getOrDefault(owner, 0) / MAX_LOGS;
    return number % parts == round % parts;
  }
}
