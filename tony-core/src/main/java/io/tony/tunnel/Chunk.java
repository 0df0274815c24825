package io.tony.tunnel;

import java.nio.ByteBuffer;

/**
 * What one end of a tunnel says to the other: bytes, the new size of a terminal, its end, or
 * nothing but that it is there.
 *
 * @param number from 1, for each end
 * @param data from its position to its limit; empty for none
 * @param window null where it has not changed
 * @param end null as long as more follows
 */
public record Chunk(long number, ByteBuffer data, Window window, End end) {
  /** How many bytes one has at most. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

  /** The size of a terminal, in characters. */
  public record Window(int rows, int columns) {
    /** What most programs take where nobody tells. */
    public static final Window DEFAULT = new Window(24, 80);

    private static final int MAX_DIMENSION = 10_000;

    /** Whether there are such terminals. */
    public boolean isValid() {
      return rows > 0 && columns > 0 && rows <= MAX_DIMENSION && columns <= MAX_DIMENSION;
    }
  }

  /**
   * Nothing follows.
   *
   * @param exitCode of a shell; null for anything else
   * @param problem why it came, or why there was no beginning; empty for none
   */
  public record End(Integer exitCode, String problem) {
    public static final End PLAIN = new End(null, "");

    public static End withProblem(String problem) {
      return new End(null, problem);
    }
  }

  /** A copy of its data. */
  public byte[] bytes() {
    byte[] bytes = new byte[data.remaining()];
    data.duplicate().get(bytes);
    return bytes;
  }

  static Chunk of(byte[] data) {
    return new Chunk(0, ByteBuffer.wrap(data), null, null);
  }

  static Chunk of(Window window) {
    return new Chunk(0, NO_DATA, window, null);
  }

  static Chunk of(End end) {
    return new Chunk(0, NO_DATA, null, end);
  }

  /** It is there. */
  static Chunk keepAlive() {
    return new Chunk(0, NO_DATA, null, null);
  }

  Chunk withNumber(long next) {
    return new Chunk(next, data, window, end);
  }
}
