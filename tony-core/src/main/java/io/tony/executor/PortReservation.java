package io.tony.executor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * A free port of this node, held until the user's program is about to listen on it: nobody else on
 * the node is given the same one meanwhile.
 */
final class PortReservation implements AutoCloseable {
  private final ServerSocket socket;

  private PortReservation(ServerSocket socket) {
    this.socket = socket;
  }

  static PortReservation on(String host) throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
    return new PortReservation(socket);
  }

  int port() {
    return socket.getLocalPort();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("a listening socket does not close", e);
    }
  }
}
