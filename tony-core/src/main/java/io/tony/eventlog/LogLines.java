package io.tony.eventlog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Where the lines of a job's log are that are safe, by their numbers from 0. It remembers the place
 * of one in {@value #SPACING}, so that a log of a million lines takes some kilobytes here.
 */
final class LogLines {
  private static final int SPACING = 256;

  /** Lines that follow each other in one file. */
  private static final class PartFile {
    private final Path file;
    private final long first;
    private final List<Long> offsets = new ArrayList<>();
    private long end;

    PartFile(Path file, long first) {
      this.file = file;
      this.first = first;
      this.end = first;
    }

    boolean has(long number) {
      return first <= number && number < end;
    }
  }

  private record Place(Path file, long number, long offset, long end) {}

  private final FileSystem fs;
  private final List<PartFile> parts = new ArrayList<>();
  private long count;

  LogLines(FileSystem fs) {
    this.fs = fs;
  }

  /** What is added from now on is in this file. */
  synchronized void begin(Path file) {
    parts.add(new PartFile(file, count));
  }

  /** The next line is safe; {@code offset} is where it begins. */
  synchronized void add(long offset) {
    PartFile part = parts.get(parts.size() - 1);
    if ((part.end - part.first) % SPACING == 0) {
      part.offsets.add(offset);
    }
    part.end++;
    count = part.end;
  }

  /** How many lines are safe: the number of the next one. */
  synchronized long count() {
    return count;
  }

  /**
   * Some lines from a number on, as they stand in the file: at least one, and no more than the
   * first that reaches so many characters together.
   *
   * @throws IndexOutOfBoundsException when no such line is safe
   */
  List<String> read(long from, long maxCharacters) throws IOException {
    Place place = place(from);
    List<String> lines = new ArrayList<>();
    try (LineReader in = new LineReader(fs, place.file(), place.offset())) {
      long characters = 0;
      for (long number = place.number();
          number < place.end() && characters < maxCharacters;
          number++) {
        String line = in.next();
        if (line == null) {
          throw new IOException(
              "line " + number + " of the event log is not in " + place.file() + " any more");
        }
        if (number >= from) {
          lines.add(line);
          characters += line.length();
        }
      }
    }
    return lines;
  }

  private synchronized Place place(long number) {
    for (int i = parts.size() - 1; i >= 0; i--) {
      PartFile part = parts.get(i);
      if (part.has(number)) {
        int mark = Math.toIntExact((number - part.first) / SPACING);
        long marked = part.first + (long) mark * SPACING;
        return new Place(part.file, marked, part.offsets.get(mark), part.end);
      }
    }
    throw new IndexOutOfBoundsException("line " + number + " of " + count);
  }
}
