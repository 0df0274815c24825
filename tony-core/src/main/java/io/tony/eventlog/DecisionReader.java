package io.tony.eventlog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Reads a log's file decision by decision, and only those that are there as a whole. A log is its
 * owner's to write: of a decision that is larger than those of most jobs, only one line at a time
 * is held in memory, and its lines are read a second time when they are given.
 */
final class DecisionReader implements AutoCloseable {
  /**
   * Maximum size of one decision: its characters, and {@link #LINE_COST} for each line. The largest
   * that is written is that of a gang of ten thousand tasks: some megabytes.
   */
  static final int MAX_DECISION_SIZE = 32 * 1024 * 1024;

  /** Maximum number of lines of one decision: several for each of ten thousand tasks. */
  static final int MAX_LINES = 100_000;

  /** Maximum size of a decision that is held in memory until its last line was read. */
  static final int MAX_BUFFERED_SIZE = 256 * 1024;

  /** What a line takes in memory beside its characters. */
  static final int LINE_COST = 64;

  /** Takes the lines of a decision, with the offsets at which they begin. */
  @FunctionalInterface
  interface LineConsumer {
    /** Returns false when it wants no more. */
    boolean take(String line, long offset) throws IOException;
  }

  private record Line(String text, long offset) {}

  private final FileSystem fs;
  private final Path file;
  private final LineReader in;
  private final List<Line> bufferedLines = new ArrayList<>(); // empty for a large decision
  private String
      nextLine; // the line that was read last, and not given; null at the end of the file
  private long nextOffset;
  private long beginOffset; // of the decision
  private int lineCount; // of its lines
  private long size;

  /** Begins at that byte of the file; there must be so many. */
  DecisionReader(FileSystem fs, Path file, long position) throws IOException {
    this.fs = fs;
    this.file = file;
    this.in = new LineReader(fs, file, position);
    try {
      advance();
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private String advance() throws IOException {
    String line = nextLine;
    nextOffset = in.position();
    nextLine = in.next();
    return line;
  }

  /**
   * Goes on to the next decision. The last line of the file may have been cut short with the
   * process that wrote it, and the last decision may lack lines. An empty line between two
   * decisions counts as one.
   *
   * @return false when there is none any more that is whole
   * @throws UnreadableLogException when it is larger than any that is written
   */
  boolean next() throws IOException {
    bufferedLines.clear();
    lineCount = 0;
    size = 0;
    beginOffset = nextOffset;
    while (nextLine != null) {
      long offset = nextOffset;
      String line = advance();
      lineCount++;
      size += line.isEmpty() ? 1 : line.length() + LINE_COST;
      if (size <= MAX_BUFFERED_SIZE) {
        bufferedLines.add(new Line(line, offset));
      } else {
        bufferedLines.clear();
      }
      if (isLast(line)) {
        return true;
      }
      if (lineCount > MAX_LINES || size > MAX_DECISION_SIZE) {
        throw UnreadableLogException.ofDecision(file, beginOffset, MAX_DECISION_SIZE, MAX_LINES);
      }
    }
    return false;
  }

  private boolean isLast(String line) {
    return (line.isEmpty() && lineCount == 1)
        || (!EventJson.hasMore(line) && (nextLine != null || LogFile.isEvent(line)));
  }

  /** Gives the lines of the decision; returns false when they were not all wanted. */
  boolean readLines(LineConsumer consumer) throws IOException {
    if (!bufferedLines.isEmpty()) {
      for (Line line : bufferedLines) {
        if (!consumer.take(line.text(), line.offset())) {
          return false;
        }
      }
      return true;
    }
    try (LineReader reader = new LineReader(fs, file, beginOffset)) {
      for (int i = 0; i < lineCount; i++) {
        long offset = reader.position();
        String line = reader.next();
        if (line == null) {
          throw new IOException(file + " is shorter than it was a moment ago");
        }
        if (!consumer.take(line, offset)) {
          return false;
        }
      }
      return true;
    }
  }

  boolean isOneLine() {
    return lineCount == 1;
  }

  /** Where the decision ends. */
  long endOffset() {
    return nextOffset;
  }

  /** How large the decision is: its characters, and some for each line. */
  long size() {
    return size;
  }

  /** Returns true when it is an empty line. */
  boolean isEmpty() {
    return size == 1;
  }

  /** Returns true when it is an empty line at the end of the file. */
  boolean isTrailingEmptyLine() {
    return isEmpty() && nextLine == null;
  }

  /** Returns true when its last line is the last of the file, and has no end. */
  boolean lacksLineEnd() {
    return nextLine == null && in.lacksLineEnd();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
