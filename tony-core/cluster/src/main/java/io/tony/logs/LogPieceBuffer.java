package io.tony.logs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Collects the bytes of one piece of a log. When the piece is full, an exception aborts the
 * transfer of the log, which may have terabytes.
 */
final class LogPieceBuffer extends OutputStream {
  /** Thrown when the piece is full, to abort the transfer. */
  static final class BufferFullException extends IOException {
    private static final long serialVersionUID = 1L;

    BufferFullException() {
      super("no more is wanted");
    }
  }

  private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int off, int len) throws IOException {
    int room = LogPiece.MAX_BYTES - buffer.size();
    buffer.write(bytes, off, Math.min(len, room));
    if (len > room) {
      throw new BufferFullException();
    }
  }

  /**
   * Returns the collected bytes as a piece; {@code contents} knows their position in the file,
   * which may still grow.
   */
  LogPiece piece(LogContents contents) {
    return LogPiece.of(contents.firstOffset(), buffer.toByteArray(), contents.length(), false);
  }
}
