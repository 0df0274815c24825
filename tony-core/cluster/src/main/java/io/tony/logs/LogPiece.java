package io.tony.logs;

import java.nio.charset.StandardCharsets;

/**
 * A piece of text from a file that may still grow.
 *
 * @param begin byte offset of the first byte of the piece
 * @param end byte offset after the last byte of the piece, where the next piece begins
 * @param length current length of the whole file in bytes
 */
public record LogPiece(long begin, long end, long length, String text) {
  /** Maximum size of a piece in bytes. */
  public static final int MAX_BYTES = 64 * 1024;

  /** Maximum number of bytes that follow the first byte of a UTF-8 character. */
  private static final int MAX_CONTINUATION_BYTES = 3;

  /** Returns an empty piece at the end of a file of {@code length} bytes. */
  static LogPiece none(long length) {
    return new LogPiece(length, length, length, "");
  }

  /**
   * Returns the piece that consists of {@code bytes}. Bytes at the beginning that continue a
   * character of the previous piece are left out. So is a partial character at the end, unless the
   * piece ends where a complete file ends.
   *
   * @param begin byte offset of the first byte
   * @param length length of the whole file in bytes
   * @param complete true if the file no longer grows
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

  /**
   * Returns the index of an incomplete character at the end of {@code bytes}; the length of {@code
   * bytes} if there is none.
   */
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

  /**
   * Returns true if nothing follows this piece in the file at present, except perhaps an incomplete
   * character.
   */
  boolean isLast() {
    return length - end <= MAX_CONTINUATION_BYTES;
  }
}
