package io.tony.eventlog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a log file decision by decision and skips incomplete decisions. The owner of the file can
 * write anything to it, so the use of memory is limited: the lines of a small decision are kept in
 * memory until they are delivered, the lines of a large one are read from the file a second time.
 */
final class DecisionReader implements AutoCloseable {
  /**
   * Maximum size of one decision: its characters plus {@link #LINE_COST} for each line. The largest
   * decision that TonY writes, for a gang of ten thousand tasks, has a size of some millions.
   */
  static final int MAX_DECISION_SIZE = 32 * 1024 * 1024;

  /**
   * Maximum number of lines of one decision. A decision about a gang of ten thousand tasks has
   * several lines for each task.
   */
  static final int MAX_LINES = 100_000;

  /** Maximum size of a decision whose lines are kept in memory until they are delivered. */
  static final int MAX_BUFFERED_SIZE = 256 * 1024;

  /**
   * What each line adds to the size of its decision besides its characters, because each line also
   * takes memory of its own. An empty line counts as one character instead.
   */
  static final int LINE_COST = 64;

  /** Receives the lines of a decision, each with the byte offset at which the line begins. */
  @FunctionalInterface
  interface LineConsumer {
    /** Takes the next line. Returns false to stop: no further line is delivered. */
    boolean take(String line, long offset) throws IOException;
  }

  private record Line(String text, long offset) {}

  private final FileSystem fs;
  private final Path file;
  private final LineReader in;
  // Lines of the current decision; empty if the decision is larger than MAX_BUFFERED_SIZE.
  private final List<Line> bufferedLines = new ArrayList<>();
  private @Nullable String nextLine; // read ahead; null at the end of the file
  private long nextOffset;
  private long beginOffset; // byte offset of the current decision
  private int lineCount; // lines in the current decision
  private long size;

  /**
   * Opens {@code file} and starts at byte {@code position}, which must not be beyond the end of the
   * file.
   */
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

  private void advance() throws IOException {
    nextOffset = in.position();
    nextLine = in.next();
  }

  /**
   * Advances to the next complete decision. The last decision of a file may be incomplete, because
   * the process that wrote the file died. An empty line between two decisions counts as a decision.
   *
   * @return false if there is no further complete decision
   * @throws UnreadableLogException if the decision exceeds {@link #MAX_DECISION_SIZE} or {@link
   *     #MAX_LINES}
   */
  boolean next() throws IOException {
    bufferedLines.clear();
    lineCount = 0;
    size = 0;
    beginOffset = nextOffset;
    while (nextLine != null) {
      long offset = nextOffset;
      String line = nextLine;
      advance();
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
        || (!EventJson.hasMore(line) && (nextLine != null || isEvent(line)));
  }

  /**
   * Delivers the lines of the current decision; returns false if {@code consumer} stopped the
   * delivery.
   */
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

  /** Returns the byte offset at which the current decision ends. */
  long endOffset() {
    return nextOffset;
  }

  /**
   * Returns the size of the current decision: its characters plus {@link #LINE_COST} for each line;
   * 1 for an empty line.
   */
  long size() {
    return size;
  }

  /** Returns true if the current decision is an empty line. */
  boolean isEmpty() {
    return size == 1;
  }

  /** Returns true if the current decision is an empty line and is the last in the file. */
  boolean isTrailingEmptyLine() {
    return isEmpty() && nextLine == null;
  }

  /**
   * Returns true if the current decision is the last in the file and its last line lacks a line
   * end.
   */
  boolean lacksLineEnd() {
    return nextLine == null && in.lacksLineEnd();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  static boolean isEvent(String line) {
    try {
      EventJson.read(line);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
