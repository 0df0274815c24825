package io.tony.logs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Takes what one piece holds. Whoever has more to give is stopped: a log may have terabytes. */
final class PieceBytes extends OutputStream {
  /** No more is wanted. */
  static final class Full extends IOException {
    private static final long serialVersionUID = 1L;

    Full() {
      super("no more is wanted");
    }
  }

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int off, int len) throws IOException {
    int room = LogPiece.MOST - taken.size();
    taken.write(bytes, off, Math.min(len, room));
    if (len > room) {
      throw new Full();
    }
  }

  /** What was taken, of a file that may still grow. */
  LogPiece piece(LogContents of) {
    return LogPiece.of(of.first(), taken.toByteArray(), of.length(), false);
  }
}
