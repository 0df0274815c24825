package io.tony.client.output;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Prints what a file has from an offset on, line by line, each after the name of where it comes
 * from. It knows how far it has come, also where the file's source breaks off.
 */
public final class PrefixedLines extends OutputStream {
  /** A longer line is printed in pieces, so that none of it is left out. */
  private static final int MAX_LINE_BYTES = PlainText.MAX_LINE_CHARS / 2;

  /** The longest letter of UTF-8, in bytes. */
  private static final int MAX_CHAR_BYTES = 4;

  private final String prefix;
  private final JobLog out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long offset;

  /** {@code offset} is where in the file the next byte stands. */
  public PrefixedLines(String prefix, long offset, JobLog out) {
    this.prefix = prefix;
    this.offset = offset;
    this.out = out;
  }

  /** Where the next byte stands in the file. */
  public long offset() {
    return offset;
  }

  @Override
  public void write(int b) {
    offset++;
    if (b == '\n') {
      print(line.toString(StandardCharsets.UTF_8).stripTrailing());
      return;
    }
    if (line.size() == MAX_LINE_BYTES
        || (line.size() > MAX_LINE_BYTES - MAX_CHAR_BYTES && startsCharacter(b))) {
      print(line.toString(StandardCharsets.UTF_8)); // blanks that stand here are not at the end
    }
    line.write(b);
  }

  private static boolean startsCharacter(int b) {
    return (b & 0xC0) != 0x80;
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
      print(line.toString(StandardCharsets.UTF_8).stripTrailing());
    }
    out.flush();
  }

  private void print(String text) {
    out.println(prefix + text);
    line.reset();
  }
}
