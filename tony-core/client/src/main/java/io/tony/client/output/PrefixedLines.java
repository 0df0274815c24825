package io.tony.client.output;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Prints bytes of a file as lines with a prefix, such as the file's name. Counts the bytes, so that
 * the file can be read on after its source has failed.
 */
public final class PrefixedLines extends OutputStream {
  /**
   * Maximum number of bytes of a printed line. A longer line is printed in several pieces, so that
   * nothing is cut off.
   */
  private static final int MAX_LINE_BYTES = PlainText.MAX_LINE_CHARS / 2;

  /** Maximum number of bytes of a character in UTF-8. */
  private static final int MAX_CHAR_BYTES = 4;

  private final String prefix;
  private final JobLog out;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long offset;

  /**
   * Creates a printer.
   *
   * @param prefix text before each line
   * @param offset offset in the file of the first byte that will be written to this stream
   */
  public PrefixedLines(String prefix, long offset, JobLog out) {
    this.prefix = prefix;
    this.offset = offset;
    this.out = out;
  }

  /** Returns the offset in the file of the next byte to be written to this stream. */
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
      // This is not the end of the line, so keep trailing blanks.
      print(line.toString(StandardCharsets.UTF_8));
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

  /** Flushes the lines that are complete; an incomplete line is kept. */
  @Override
  public void flush() {
    out.flush();
  }

  /** Prints the last line even if it is incomplete. Does not close the job's log. */
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
