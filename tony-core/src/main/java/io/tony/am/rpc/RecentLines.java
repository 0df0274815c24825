package io.tony.am.rpc;

import java.util.ArrayList;
import java.util.List;

/**
 * Most recent lines of the event log, in memory: for watchers that wait, and because the newest
 * lines cannot be read back from the files yet. The number is limited, however long the job runs.
 */
final class RecentLines {
  static final int MAX_LINES = 1_000;

  /**
   * Maximum number of characters kept, and of one answer; stays below 1 MiB, above which Hadoop's
   * server logs a warning.
   */
  static final long MAX_CHARACTERS = 960 * 1024;

  private final List<String> lines = new ArrayList<>();
  private long first;
  private long characters;

  /**
   * Appends lines; {@code number} is the number of the first one and must follow the last line
   * appended before.
   */
  void add(long number, List<String> more) {
    if (lines.isEmpty()) {
      first = number;
    }
    lines.addAll(more);
    characters += characters(more);
  }

  /**
   * Drops the oldest lines while a limit is exceeded, except for lines from number {@code readable}
   * on, which cannot be read back yet.
   */
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

  /** Returns the number of the first line in memory. */
  long first() {
    return first;
  }

  /** Returns the number of the next line to come, which equals the number of all lines so far. */
  long end() {
    return first + lines.size();
  }

  long characters() {
    return characters;
  }

  /**
   * Returns lines from this number on, up to the size of one answer.
   *
   * @param number at least {@link #first}
   */
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
