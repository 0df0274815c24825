package io.tony.eventlog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Index of the durable lines of a job's log, by line number from 0. Stores the byte offset of every
 * {@value #SPACING}th line only, so that the index of a million lines takes some kilobytes.
 * Thread-safe.
 */
final class LineIndex {
  private static final int SPACING = 256;

  /** Consecutive lines of the log that are in one file. */
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

  /** Sets the file that contains the lines added from now on. */
  synchronized void begin(Path file) {
    segments.add(new FileSegment(file, count));
  }

  /** Adds the next durable line, which begins at byte {@code offset} of the current file. */
  synchronized void add(long offset) {
    FileSegment segment = segments.get(segments.size() - 1);
    if ((segment.end - segment.first) % SPACING == 0) {
      segment.offsets.add(offset);
    }
    segment.end++;
    count = segment.end;
  }

  /** Returns the number of durable lines, which is also the number of the next line to be added. */
  synchronized long count() {
    return count;
  }

  /**
   * Reads durable lines as they are in their files: at least one, and further lines until they have
   * {@code maxCharacters} characters in total.
   *
   * @param from number of the first line in the log, from 0
   * @throws IndexOutOfBoundsException if there is no durable line of that number
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
