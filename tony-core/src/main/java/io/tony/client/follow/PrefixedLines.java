package io.tony.client.follow;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Prints what a file has from an offset on, line by line, each after the name of where it comes
 * from. It knows how far it has come, also where the file's source breaks off.
 */
final class PrefixedLines extends OutputStream {
  /** A longer line is printed in pieces, so that none of it is left out. */
  private static final int MOST = PlainText.MAX_LINE / 2;

  private final String prefix;
  private final JobLog out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long offset;

  /** {@code offset} is where in the file the next byte stands. */
  PrefixedLines(String prefix, long offset, JobLog out) {
    this.prefix = prefix;
    this.offset = offset;
    this.out = out;
  }

  /** Where the next byte stands in the file. */
  long offset() {
    return offset;
  }

  @Override
  public void write(int b) {
    offset++;
    if (b != '\n') {
      line.write(b);
    }
    if (b == '\n' || line.size() >= MOST) {
      print();
    }
  }

  @Override
  public void write(byte[] bytes, int off, int len) {
    for (int i = off; i < off + len; i++) {
      write(bytes[i]);
    }
  }

  /** What is there is shown, so far as it is lines. */
  @Override
  public void flush() {
    out.flush();
  }

  /** Prints a last line that has no end. */
  @Override
  public void close() {
    if (line.size() > 0) {
      print();
    }
    out.flush();
  }

  private void print() {
    out.println(prefix + line.toString(StandardCharsets.UTF_8).stripTrailing());
    line.reset();
  }
}
