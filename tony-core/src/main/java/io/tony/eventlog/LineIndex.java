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
final class LineIndex {
  private static final int SPACING = 256;

  /** Lines that follow each other in one file. */
  private static final class FileSegment {
    private final Path file;
    private final long first;
    private final List<Long> offsets = new ArrayList<>();
    private long end;

    FileSegment(Path file, long first) {
      this.file = file;
      this.first = first;
      this.end = first;
    }

    boolean contains(long number) {
      return first <= number && number < end;
    }
  }

  private record LineLocation(Path file, long number, long offset, long end) {}

  private final FileSystem fs;
  private final List<FileSegment> segments = new ArrayList<>();
  private long count;

  LineIndex(FileSystem fs) {
    this.fs = fs;
  }

  /** What is added from now on is in this file. */
  synchronized void begin(Path file) {
    segments.add(new FileSegment(file, count));
  }

  /** The next line is safe; {@code offset} is where it begins. */
  synchronized void add(long offset) {
    FileSegment segment = segments.get(segments.size() - 1);
    if ((segment.end - segment.first) % SPACING == 0) {
      segment.offsets.add(offset);
    }
    segment.end++;
    count = segment.end;
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
    LineLocation location = locate(from);
    List<String> lines = new ArrayList<>();
    try (LineReader in = new LineReader(fs, location.file(), location.offset())) {
      long characters = 0;
      for (long number = location.number();
          number < location.end() && characters < maxCharacters;
          number++) {
        String line = in.next();
        if (line == null) {
          throw new IOException(
              "line " + number + " of the event log is not in " + location.file() + " any more");
        }
        if (number >= from) {
          lines.add(line);
          characters += line.length();
        }
      }
    }
    return lines;
  }

  private synchronized LineLocation locate(long number) {
    for (int i = segments.size() - 1; i >= 0; i--) {
      FileSegment segment = segments.get(i);
      if (segment.contains(number)) {
        int mark = Math.toIntExact((number - segment.first) / SPACING);
        long markedNumber = segment.first + (long) mark * SPACING;
        return new LineLocation(segment.file, markedNumber, segment.offsets.get(mark), segment.end);
      }
    }
    throw new IndexOutOfBoundsException("line " + number + " of " + count);
  }
}
