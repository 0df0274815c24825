package io.tony.executor.port;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * A TCP port of this node that belongs to one task from the executor's start to its end. It has two
 * parts, both of which the kernel frees when the process ends, however it ends:
 *
 * <ul>
 *   <li>The <em>hold</em>: a TCP socket that is bound to the port on all addresses and does not
 *       listen, so that a client that connects too early is refused and retries. The hold is closed
 *       when the program is about to listen, or stays beside the program if the port is shared.
 *   <li>The <em>claim</em>: a UDP socket of the same number, which stays. The kernel may give a TCP
 *       port that no program listens on yet to another executor; that executor finds the number
 *       claimed, and takes another. The claim binds executors only: any other program can bind this
 *       TCP port.
 * </ul>
 */
public final class PortReservation implements AutoCloseable {
  /**
   * Maximum number of free TCP ports tried. If all of them are claimed, the node has none to give.
   */
  private static final int MAX_TRIES = 200;

  private final boolean shared;
  private Socket hold;
  private DatagramSocket claim;

  private PortReservation(boolean shared, Socket hold, DatagramSocket claim) {
    this.shared = shared;
    this.hold = hold;
    this.claim = claim;
  }

  /**
   * Reserves a port.
   *
   * @param shared whether the hold stays while the program listens, which must then set {@code
   *     SO_REUSEPORT}
   * @throws IOException if no port is free
   */
  public static PortReservation take(boolean shared) throws IOException {
    // Kept open until a port is found: the kernel would offer the same ports again.
    List<Socket> claimedByOthers = new ArrayList<>();
    try {
      while (claimedByOthers.size() < MAX_TRIES) {
        Socket hold = hold(0, shared);
        try {
          return new PortReservation(shared, hold, claim(hold.getLocalPort()));
        } catch (SocketException e) {
          claimedByOthers.add(hold);
        }
      }
    } finally {
      for (Socket socket : claimedByOthers) {
        socket.close();
      }
    }
    throw new IOException(
        MAX_TRIES
            + " free TCP ports of this node are all taken as UDP ports: widen"
            + " net.ipv4.ip_local_port_range");
  }

  public int port() {
    return claim.getLocalPort();
  }

  /** Frees the port for the program, which is about to listen. A shared port stays held. */
  public void handOver() throws IOException {
    if (!shared) {
      hold.close();
    }
  }

  /**
   * Reserves a port for the next program: the same port if the previous program left nothing on it,
   * else another.
   */
  public void renew() throws IOException {
    hold.close();
    try {
      // Without SO_REUSEPORT and SO_REUSEADDR, like any program: binding fails while a process
      // listens on the port, and while the kernel still guards its last connections.
      hold = hold(port(), false);
      if (shared) {
        hold.close();
        hold = hold(port(), true);
      }
    } catch (SocketException e) {
      PortReservation replacement = take(shared);
      claim.close();
      hold = replacement.hold;
      claim = replacement.claim;
    }
  }

  private static Socket hold(int port, boolean shared) throws IOException {
    Socket socket = new Socket();
    try {
      if (shared) {
        socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
      }
      socket.bind(new InetSocketAddress(port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private static DatagramSocket claim(int port) throws SocketException {
    return new DatagramSocket(new InetSocketAddress(port));
  }

  @Override
  public void close() throws IOException {
    hold.close();
    claim.close();
  }
}
