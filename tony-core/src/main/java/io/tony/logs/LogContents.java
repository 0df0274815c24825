package io.tony.logs;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a node or the aggregated logs send of one file: a few lines that name it and tell its
 * length, its contents or the last bytes of them, and a line below (Hadoop: {@code
 * LogToolUtils.outputContainerLog}). It gives the contents alone, from an offset on.
 */
public final class LogContents extends OutputStream {
  private static final String BEGIN = "LogContents:\n";
  private static final Pattern LENGTH = Pattern.compile("(?m)^LogLength:(\\d{1,18})$");

  /** More stands before no file. */
  private static final int MAX_HEADER_BYTES = 16 * 1024;

  private final long from;
  private final long requestedBytes;
  private final OutputStream out;
  private final ByteArrayOutputStream header = new ByteArrayOutputStream();
  private long length = -1; // of the whole file, once it is known
  private long firstOffset; // in the file, of the first byte that is given
  private long position; // in the file, of the next byte
  private boolean gap;

  /**
   * Takes one file.
   *
   * @param from the offset from which on it is wanted; below 0 for all that is sent
   * @param requestedBytes how many of its last bytes were asked for; {@link Long#MAX_VALUE} for all
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
        throw new IOException("the length of the file is not told");
      }
      length = Long.parseLong(matcher.group(1));
      position = Math.max(0, length - requestedBytes);
      firstOffset = Math.min(Math.max(from, position), length);
      gap = from >= 0 && position > from;
    }
  }

  /** How long the file was when it was sent; -1 where nothing was. */
  public long length() {
    return length;
  }

  /**
   * For who has taken all that was sent.
   *
   * @throws EOFException where that is less than the length that was told
   */
  void requireAll() throws EOFException {
    if (position < length) {
      throw new EOFException("only " + position + " of " + length + " bytes were sent");
    }
  }

  /** The offset of the first byte that is given, or of the end where none is. */
  long firstOffset() {
    return firstOffset;
  }

  /** Whether less was sent than is wanted: the file has grown since its length was known. */
  boolean hasGap() {
    return gap;
  }
}
