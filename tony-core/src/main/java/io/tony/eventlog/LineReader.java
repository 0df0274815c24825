package io.tony.eventlog;

import java.io.BufferedInputStream;
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
  static final int MOST_LINE = 1024 * 1024;

  private final Path file;
  private final BufferedInputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long position;

  /** Begins at that byte of the file; there must be so many. */
  LineReader(FileSystem fs, Path file, long position) throws IOException {
    this.file = file;
    this.position = position;
    FSDataInputStream opened = fs.open(file);
    this.in = new BufferedInputStream(opened);
    try {
      opened.seek(position);
    } catch (IOException e) {
      opened.close();
      throw e;
    }
  }

  /**
   * The next line without its end, which the last one may lack; null when there is none.
   *
   * @throws UnreadableLogException when it is longer than any that is written
   */
  String next() throws IOException {
    line.reset();
    int read = in.read();
    if (read < 0) {
      return null;
    }
    for (; read >= 0 && read != '\n'; read = in.read()) {
      if (line.size() == MOST_LINE) {
        throw UnreadableLogException.ofLine(file, position, MOST_LINE);
      }
      line.write(read);
    }
    position += line.size() + (read < 0 ? 0 : 1);
    return line.toString(StandardCharsets.UTF_8);
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
