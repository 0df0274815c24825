package io.tony.am.http;

import io.tony.model.PortRange;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;

/**
 * Where the servers of one kind listen, one after the other. Each begins to look for a port behind
 * that of the one before, so that a straggler of an earlier gang does not find the store of the
 * next.
 */
public final class ListeningPorts {
  private static final int BACKLOG = 1024;

  private final String host;
  private final PortRange ports;
  private final String serverName;
  private int lastPort;

  /** {@code what} listens there, in the words of an error. */
  public ListeningPorts(String host, PortRange ports, String serverName) {
    this.host = host;
    this.ports = ports;
    this.serverName = serverName;
  }

  /**
   * Listens at a free port.
   *
   * @throws NoFreePortException when the range has none
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
    throw new NoFreePortException(ports, host, serverName, refused);
  }

  /** At whatever port the kernel gives, but for that of the one before. */
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
