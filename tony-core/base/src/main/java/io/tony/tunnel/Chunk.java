package io.tony.tunnel;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a tunnel sends to the other at a time: bytes, the new size of a terminal, the end
 * of the stream, or a keep-alive without any of these.
 *
 * @param number sequence number of the chunk; each end counts its own chunks from 1
 * @param data bytes from the buffer's position to its limit; may have none remaining
 * @param window new size of the terminal; null if unchanged
 * @param end null if more chunks follow
 */
public record Chunk(long number, ByteBuffer data, @Nullable Window window, @Nullable End end) {
  /** Maximum number of bytes in a chunk. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

  /** Size of a terminal, in characters. */
  public record Window(int rows, int columns) {
    /** Size that most programs assume for a terminal whose size is unknown. */
    public static final Window DEFAULT = new Window(24, 80);

    private static final int MAX_DIMENSION = 10_000;

    /** Returns true if a terminal can have this size. */
    public boolean isValid() {
      return rows > 0 && columns > 0 && rows <= MAX_DIMENSION && columns <= MAX_DIMENSION;
    }
  }

  /**
   * End of a stream; no chunk follows.
   *
   * @param exitCode exit code of a shell; null if the stream is not a shell's
   * @param problem why the stream failed or could not begin; empty after a normal end
   */
  public record End(@Nullable Integer exitCode, String problem) {
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

  /** Creates a chunk without content, which shows that the sending end is alive. */
  static Chunk keepAlive() {
    return new Chunk(0, NO_DATA, null, null);
  }

  Chunk withNumber(long next) {
    return new Chunk(next, data, window, end);
  }
}
