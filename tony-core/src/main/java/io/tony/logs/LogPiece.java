package io.tony.logs;

import java.nio.charset.StandardCharsets;

/**
 * Some text of a file that may still grow.
 *
 * @param begin the offset of its first byte
 * @param end the offset behind its last: from there on the next piece is asked for
 * @param length of the whole file, as far as it has grown
 */
public record LogPiece(long begin, long end, long length, String text) {
  /** Bytes. */
  public static final int MAX_BYTES = 64 * 1024;

  /** The longest letter of UTF-8 without its first byte. */
  private static final int MAX_CONTINUATION_BYTES = 3;

  /** Of a file that has grown no further. */
  static LogPiece none(long length) {
    return new LogPiece(length, length, length, "");
  }

  /**
   * Cuts no letter in two: what begins with the rest of one, or ends with a part of one, is cut
   * before or after it.
   *
   * @param begin the offset of the first byte
   * @param complete whether the file does not grow any more
   */
  static LogPiece of(long begin, byte[] bytes, long length, boolean complete) {
    int from = 0;
    while (begin > 0
        && from < MAX_CONTINUATION_BYTES
        && from < bytes.length
        && isContinuation(bytes[from])) {
      from++;
    }
    int to = bytes.length;
    if (!complete || begin + to < length) {
      to = Math.max(from, endOfCompleteCharacters(bytes));
    }
    String text = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    return new LogPiece(begin + from, begin + to, length, text);
  }

  private static boolean isContinuation(byte value) {
    return (value & 0xC0) == 0x80;
  }

  /** Where a letter begins that does not end, or the end of all. */
  private static int endOfCompleteCharacters(byte[] bytes) {
    int last = bytes.length - 1;
    int min = Math.max(0, bytes.length - MAX_CONTINUATION_BYTES);
    while (last > min && isContinuation(bytes[last])) {
      last--;
    }
    return last >= 0 && last + characterLength(bytes[last]) > bytes.length ? last : bytes.length;
  }

  private static int characterLength(byte first) {
    int bits = first & 0xff;
    if (bits >= 0xF0) {
      return 4;
    }
    if (bits >= 0xE0) {
      return 3;
    }
    return bits >= 0xC0 ? 2 : 1;
  }

  /** Whether the file has no more now; a part of a letter does not count. */
  boolean isLast() {
    return length - end <= MAX_CONTINUATION_BYTES;
  }
}
