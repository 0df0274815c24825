package io.tony.eventlog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a log file, with their byte offsets. The owner of the file can write lines of
 * any length; at most {@link #MAX_LINE_BYTES} of a line are kept in memory.
 */
final class LineReader implements AutoCloseable {
  /**
   * Maximum length of a line in bytes. The longest lines that TonY writes contain the outputs of a
   * task or the options of a job: at most 65,536 characters, less than 400 KiB even if all are
   * escaped.
   */
  static final int MAX_LINE_BYTES = 1024 * 1024;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path file;
  private final FSDataInputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int next; // index in the buffer of the next byte to be returned
  private int end; // number of bytes in the buffer
  private boolean endOfFile; // the end of the file was reached
  private boolean lastLineUnterminated; // the last line that was returned has no line end
  private long position;

  /**
   * Opens {@code file} and starts at byte {@code position}, which must not be beyond the end of the
   * file.
   */
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
   * Returns the next line without its line end; null at the end of the file. The last line of the
   * file may have no line end. After the end was reached, this reader returns null even if the file
   * grows: the added bytes may be the rest of the last line, which must not be mistaken for another
   * line.
   *
   * @throws UnreadableLogException if the line is longer than {@link #MAX_LINE_BYTES}
   */
  @Nullable String next() throws IOException {
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

  /** Refills an empty buffer; returns false at the end of the file. */
  private boolean fill() throws IOException {
    if (next == end && !endOfFile) {
      next = 0;
      end = Math.max(0, in.read(buffer));
      endOfFile = end == 0;
    }
    return next < end;
  }

  /** Returns true if the line that {@link #next} returned last has no line end. */
  boolean lacksLineEnd() {
    return lastLineUnterminated;
  }

  /** Returns the byte offset at which the next line begins. */
  long position() {
    return position;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
