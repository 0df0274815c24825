package io.tony.am.http;

import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/** Lines of one byte per character, in both directions, until one of the two ends it. */
public final class LineConnectionHandler implements ConnectionHandler {
  static final int MAX_LINE_BYTES = 8 * 1024;

  private final Connection connection;
  private final BiConsumer<Connection, String> onLine;
  private final StringBuilder partialLine = new StringBuilder(); // a line whose end is to come

  /**
   * {@code onLine} takes a line without its end, and throws a {@link RequestRejectedException} for
   * nonsense.
   */
  public LineConnectionHandler(Connection connection, BiConsumer<Connection, String> onLine) {
    this.connection = connection;
    this.onLine = onLine;
  }

  @Override
  public void receive(ByteBuffer received) {
    while (received.hasRemaining() && connection.isOpen()) {
      char next = (char) (received.get() & 0xff);
      if (next == '\n') {
        String line = partialLine.toString();
        partialLine.setLength(0);
        onLine.accept(connection, line);
      } else if (partialLine.length() == MAX_LINE_BYTES) {
        throw new RequestRejectedException(
            0, "bytes of a line", "a line is above " + MAX_LINE_BYTES + " bytes");
      } else {
        partialLine.append(next);
      }
    }
    connection.setHeldBytes(partialLine.length());
  }

  @Override
  public void reject(RequestRejectedException rejection) {
    connection.close();
  }
}
