package io.tony.am.http;

import io.tony.model.PortRange;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;

/**
 * Opens the listening sockets of one kind of server, one after another. Each search for a free port
 * begins after the previous server's port. So a late process of an earlier gang does not connect to
 * the store of the next gang.
 */
public final class ListeningPorts {
  private static final int BACKLOG = 1024;

  private final String host;
  private final PortRange ports;
  private final String serverName;
  private int lastPort;

  /** {@code serverName} names the server in error messages. */
  public ListeningPorts(String host, PortRange ports, String serverName) {
    this.host = host;
    this.ports = ports;
    this.serverName = serverName;
  }

  /**
   * Opens a listening socket on a free port.
   *
   * @throws NoFreePortException if no port of the range is free
   */
  ServerSocketChannel open() throws IOException {
    if (ports.isAny()) {
      return openAnother();
    }
    BindException refused = null;
    for (int port : ports.portsAfter(lastPort)) {
      try {
        return open(port);
      } catch (BindException e) {
        refused = e;
      }
    }
    // A range has a port at least.
    throw new NoFreePortException(ports, host, serverName, Objects.requireNonNull(refused));
  }

  /** Opens a socket on a port that the kernel chooses, other than the previous server's port. */
  private ServerSocketChannel openAnother() throws IOException {
    int before = lastPort;
    ServerSocketChannel listener = open(0);
    if (lastPort != before) {
      return listener;
    }
    try {
      return open(0);
    } finally {
      listener.close();
    }
  }

  private ServerSocketChannel open(int port) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      listener.bind(new InetSocketAddress(InetAddress.getByName(host), port), BACKLOG);
      lastPort = listener.socket().getLocalPort();
      return listener;
    } catch (IOException e) {
      listener.close();
      throw e;
    }
  }
}
