package io.tony.am.rpc;

import java.util.ArrayList;
import java.util.List;

/**
 * The last lines that were told: those that watchers wait for, and those that cannot be read back
 * yet. However long the job, there are only so many of them.
 */
final class RecentLines {
  static final int MAX_LINES = 1_000;

  /** One answer with as much stays below the MiB of which Hadoop's server warns. */
  static final long MAX_CHARACTERS = 960 * 1024;

  private final List<String> lines = new ArrayList<>();
  private long first;
  private long characters;

  /** {@code number} is that of the first of them, which follows the last that was added before. */
  void add(long number, List<String> more) {
    if (lines.isEmpty()) {
      first = number;
    }
    lines.addAll(more);
    characters += characters(more);
  }

  /** Keeps as few as there may be; lines with this number and above it cannot be read back. */
  void trim(long readable) {
    int dropped = 0;
    while (first + dropped < readable
        && (lines.size() - dropped > MAX_LINES || characters > MAX_CHARACTERS)) {
      characters -= lines.get(dropped).length();
      dropped++;
    }
    lines.subList(0, dropped).clear();
    first += dropped;
  }

  private static long characters(List<String> lines) {
    return lines.stream().mapToLong(String::length).sum();
  }

  /** The number of the first. */
  long first() {
    return first;
  }

  /** The number of the next to come: how many were told in all. */
  long end() {
    return first + lines.size();
  }

  long characters() {
    return characters;
  }

  /** As much as one answer should hold, from a number on that is not below the first. */
  List<String> from(long number) {
    int next = Math.toIntExact(Math.min(number, end()) - first);
    List<String> some = new ArrayList<>();
    for (long taken = 0; next < lines.size() && taken < MAX_CHARACTERS; next++) {
      some.add(lines.get(next));
      taken += lines.get(next).length();
    }
    return some;
  }
}
