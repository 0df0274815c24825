package io.tony.logs;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Extracts the contents of a log file from what a node or the aggregated logs send, and writes the
 * contents from a wanted offset on to another stream. What is sent consists of a header of a few
 * lines with name and length, the contents or their last bytes, and a footer line (Hadoop: {@code
 * LogToolUtils.outputContainerLog}).
 */
public final class LogContents extends OutputStream {
  private static final String BEGIN = "LogContents:\n";
  private static final Pattern LENGTH = Pattern.compile("(?m)^LogLength:(\\d{1,18})$");

  /** Maximum size of the header in bytes. */
  private static final int MAX_HEADER_BYTES = 16 * 1024;

  private final long from;
  private final long requestedBytes;
  private final OutputStream out;
  private final ByteArrayOutputStream header = new ByteArrayOutputStream();
  // Length of the whole file in bytes; -1 before the header was read.
  private long length = -1;
  private long firstOffset; // offset in the file of the first byte written to out
  private long position; // offset in the file of the next byte to be received
  private boolean gap;

  /**
   * Extracts the contents of one file.
   *
   * @param from byte offset of the first wanted byte; negative for everything that is sent
   * @param requestedBytes number of bytes that were requested from the end of the file; {@link
   *     Long#MAX_VALUE} for the whole file
   * @param out receives the wanted contents
   */
  public LogContents(long from, long requestedBytes, OutputStream out) {
    this.from = from;
    this.requestedBytes = requestedBytes;
    this.out = out;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int off, int len) throws IOException {
    int at = off;
    int end = off + len;
    while (length < 0 && at < end) {
      header.write(bytes[at++]);
      if (bytes[at - 1] == '\n') {
        parseHeader();
      }
      if (header.size() > MAX_HEADER_BYTES) {
        throw new IOException("that is no file of a container's logs");
      }
    }
    long skip = Math.min(Math.max(0, from - position), end - at);
    long take = Math.min(end - at - skip, Math.max(0, length - position - skip));
    if (length >= 0) {
      if (take > 0 && !gap) {
        out.write(bytes, at + (int) skip, (int) take);
      }
      position += skip + take;
    }
  }

  private void parseHeader() throws IOException {
    String text = header.toString(StandardCharsets.UTF_8);
    if (text.endsWith("\n" + BEGIN)) {
      Matcher matcher = LENGTH.matcher(text);
      if (!matcher.find()) {
        throw new IOException("the length of the file is not given");
      }
      length = Long.parseLong(matcher.group(1));
      position = Math.max(0, length - requestedBytes);
      firstOffset = Math.min(Math.max(from, position), length);
      gap = from >= 0 && position > from;
    }
  }

  /**
   * Returns the length of the whole file in bytes, at the time when it was sent; -1 if no header
   * was received.
   */
  public long length() {
    return length;
  }

  /**
   * Checks that the file was received up to its announced length. Call after the end of the
   * transfer.
   *
   * @throws EOFException if bytes are missing at the end
   */
  void requireAll() throws EOFException {
    if (position < length) {
      throw new EOFException("only " + position + " of " + length + " bytes were sent");
    }
  }

  /**
   * Returns the offset in the file of the first byte written to the other stream; the length of the
   * file if no byte was written.
   */
  long firstOffset() {
    return firstOffset;
  }

  /**
   * Returns true if the sent bytes begin after the first wanted byte, because the file has grown
   * since the caller determined its length. Then no byte is written to the other stream.
   */
  boolean hasGap() {
    return gap;
  }
}
