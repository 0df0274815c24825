package io.tony.eventlog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Reads the lines of a log's file, and knows at which byte it stands: where a line can be found
 * again. A log is its owner's to write, so a line may be of any length, and only so much of it is
 * taken into memory.
 */
final class LineReader implements AutoCloseable {
  /**
   * Maximum bytes of a line. The longest that are written are those of a task's outputs and of a
   * job's options: less than 400 KiB, where each of their 65,536 characters is escaped.
   */
  static final int MAX_LINE_BYTES = 1024 * 1024;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path file;
  private final FSDataInputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int next; // in the buffer
  private int end; // of what the buffer holds
  private boolean endOfFile; // the end of the file was met
  private boolean lastLineUnterminated; // the last line was
  private long position;

  /** Begins at that byte of the file; there must be so many. */
  LineReader(FileSystem fs, Path file, long position) throws IOException {
    this.file = file;
    this.position = position;
    this.in = fs.open(file);
    try {
      in.seek(position);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /**
   * The next line without its end, which the last one may lack; null when there is none. Where the
   * file ended once it ends for this reader: what its writer adds meanwhile would be taken for the
   * next line, though it may be the rest of the last.
   *
   * @throws UnreadableLogException when it is longer than any that is written
   */
  String next() throws IOException {
    line.reset();
    boolean ended = false;
    while (!ended && fill()) {
      int begin = next;
      while (next < end && buffer[next] != '\n') {
        next++;
      }
      if (line.size() + next - begin > MAX_LINE_BYTES) {
        throw UnreadableLogException.ofLine(file, position, MAX_LINE_BYTES);
      }
      line.write(buffer, begin, next - begin);
      ended = next < end;
      next += ended ? 1 : 0;
    }
    if (!ended && line.size() == 0) {
      return null;
    }
    lastLineUnterminated = !ended;
    position += line.size() + (ended ? 1 : 0);
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Returns false at the end of the file. */
  private boolean fill() throws IOException {
    if (next == end && !endOfFile) {
      next = 0;
      end = Math.max(0, in.read(buffer));
      endOfFile = end == 0;
    }
    return next < end;
  }

  /** Returns true when the file ended before the last line did. */
  boolean lacksLineEnd() {
    return lastLineUnterminated;
  }

  /** Where the next line begins. */
  long position() {
    return position;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
