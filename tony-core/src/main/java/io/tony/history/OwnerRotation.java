package io.tony.history;

import java.util.HashMap;
import java.util.Map;

/**
 * Which of an owner's unfinished logs are looked into in one look: an owner with very many has them
 * looked into in turns, and keeps the others' waiting no longer for it. For one thread.
 */
final class OwnerRotation {
  /** Maximum number of unfinished logs of one owner that are looked into in one look. */
  static final int MAX_LOGS = 500;

  private Map<String, Integer> previousCounts =
      new HashMap<>(); // how many there were in the last look
  private Map<String, Integer> counts = new HashMap<>();
  private int round;

  /** Another look begins. */
  void startRound() {
    previousCounts = counts;
    counts = new HashMap<>();
    round++;
  }

  /** Returns whether the owner's next unfinished log is one of those for this look. */
  boolean isDue(String owner) {
    int number = counts.merge(owner, 1, Integer::sum);
    int parts = 1 + previousCounts.getOrDefault(owner, 0) / MAX_LOGS;
    return number % parts == round % parts;
  }
}
