package io.tony.history;

import java.util.HashMap;
import java.util.Map;

/**
 * Which of an owner's unfinished logs are looked into in one look: an owner with very many has them
 * looked into in turns, and keeps the others' waiting no longer for it. For one thread.
 */
final class OwnerTurns {
  /** Maximum number of unfinished logs of one owner that are looked into in one look. */
  static final int MAX_LOGS = 500;

  private Map<String, Integer> before = new HashMap<>(); // how many there were in the last look
  private Map<String, Integer> now = new HashMap<>();
  private int look;

  /** Another look begins. */
  void next() {
    before = now;
    now = new HashMap<>();
    look++;
  }

  /** Returns whether the owner's next unfinished log is one of those for this look. */
  boolean isDue(String owner) {
    int number = now.merge(owner, 1, Integer::sum);
    int parts = 1 + before.getOrDefault(owner, 0) / MAX_LOGS;
    return number % parts == look % parts;
  }
}
