package io.tony.am.http;

import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/**
 * Handles a protocol of text lines, one byte per character. The connection stays open until either
 * side closes it.
 */
public final class LineConnectionHandler implements ConnectionHandler {
  static final int MAX_LINE_BYTES = 8 * 1024;

  private final Connection connection;
  private final BiConsumer<Connection, String> onLine;
  // Beginning of a line whose end has not arrived yet.
  private final StringBuilder partialLine = new StringBuilder();

  /**
   * {@code onLine} gets each line without its line feed. It must throw a {@link
   * RequestRejectedException} for an invalid line.
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
