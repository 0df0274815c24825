package io.tony.eventlog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads lines, and knows at which byte it stands: where a line can be found again. */
final class LineReader implements AutoCloseable {
  private final InputStream in;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long position;

  /** {@code in} should be buffered, and begin at that position of the file. */
  LineReader(InputStream in, long position) {
    this.in = in;
    this.position = position;
  }

  /** The next line without its end, which the last one may lack; null when there is none. */
  String next() throws IOException {
    line.reset();
    int read = in.read();
    if (read < 0) {
      return null;
    }
    for (; read >= 0 && read != '\n'; read = in.read()) {
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
