package io.tony.am.rpc;

import java.util.ArrayList;
import java.util.List;

/**
 * Most recent lines of the event log, in memory, for clients that wait for new lines, and because
 * the newest lines cannot be read back from the files yet. Limited in number and size, however long
 * the job runs, except for lines that cannot be read back yet.
 */
final class RecentLines {
  static final int MAX_LINES = 1_000;

  /**
   * Maximum number of characters of the lines that are kept, except for those that cannot be read
   * back yet, and of one answer, which its last line may exceed. Below 1 MiB, because Hadoop's
   * server logs a warning about longer answers.
   */
  static final long MAX_CHARACTERS = 960 * 1024;

  private final List<String> lines = new ArrayList<>();
  private long first;
  private long characters;

  /**
   * Appends lines. {@code number} is the number of the first one, which must follow the last line
   * in memory.
   */
  void add(long number, List<String> more) {
    if (lines.isEmpty()) {
      first = number;
    }
    lines.addAll(more);
    characters += characters(more);
  }

  /**
   * Drops the oldest lines while a limit is exceeded. Keeps the lines from number {@code readable}
   * on, which cannot be read back from the files yet.
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

  /** Returns the number of the first line in memory, from 0. */
  long first() {
    return first;
  }

  /** Returns the number that the next line will have, which is the number of all lines so far. */
  long end() {
    return first + lines.size();
  }

  long characters() {
    return characters;
  }

  /**
   * Returns the lines from {@code number} on, until they have {@link #MAX_CHARACTERS} characters;
   * the last line may exceed that.
   *
   * @param number number of a line, at least {@link #first}
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
