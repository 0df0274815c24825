package io.tony.tunnel;

import java.nio.ByteBuffer;

/**
 * Unit of data that one end of a tunnel sends to the other: bytes, the new size of a terminal, the
 * end of the stream, or a keep-alive with none of these.
 *
 * @param number number of the chunk, from 1 at each end
 * @param data the bytes from the buffer's position to its limit; empty for none
 * @param window null unless the size of the terminal has changed
 * @param end null while more chunks follow
 */
public record Chunk(long number, ByteBuffer data, Window window, End end) {
  /** Maximum number of bytes in a chunk. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

  /** Size of a terminal, in characters. */
  public record Window(int rows, int columns) {
    /** Size that most programs assume if none is known. */
    public static final Window DEFAULT = new Window(24, 80);

    private static final int MAX_DIMENSION = 10_000;

    /** Returns true if a terminal can have this size. */
    public boolean isValid() {
      return rows > 0 && columns > 0 && rows <= MAX_DIMENSION && columns <= MAX_DIMENSION;
    }
  }

  /**
   * End of the stream; no chunk follows.
   *
   * @param exitCode exit code of a shell; null for anything else
   * @param problem why the stream ended or could not begin; empty for a normal end
   */
  public record End(Integer exitCode, String problem) {
    public static final End PLAIN = new End(null, "");

    public static End withProblem(String problem) {
      return new End(null, problem);
    }
  }

  /** Returns a copy of the data. */
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

  /** Creates a chunk that only shows that this end is alive. */
  static Chunk keepAlive() {
    return new Chunk(0, NO_DATA, null, null);
  }

  Chunk withNumber(long next) {
    return new Chunk(next, data, window, end);
  }
}
