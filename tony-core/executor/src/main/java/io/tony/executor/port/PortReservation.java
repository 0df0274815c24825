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
 * A TCP port of this node that belongs to one task from the executor's start to its end. Two
 * sockets keep it reserved; the kernel closes both when the executor ends, however it ends:
 *
 * <ul>
 *   <li>The <em>hold</em>: a TCP socket that is bound to the port on all addresses and does not
 *       listen, so that a client that connects too early is refused and retries. The hold is closed
 *       when the program is about to listen; if the port is shared, it stays open beside the
 *       program's socket.
 *   <li>The <em>claim</em>: a UDP socket of the same port number, which stays open. While the hold
 *       is closed and the program does not listen yet, the kernel may give the TCP port to another
 *       executor. That executor finds the UDP port taken, and tries another port. The claim binds
 *       executors only: any other program can bind the TCP port.
 * </ul>
 */
public final class PortReservation implements AutoCloseable {
  /**
   * Maximum number of free TCP ports to try. If other executors have claimed all of these, no port
   * is reserved.
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
   * @param shared whether the hold stays open while the program listens, for which the program must
   *     set {@code SO_REUSEPORT}
   * @throws IOException if no port is free
   */
  public static PortReservation take(boolean shared) throws IOException {
    // Keep these sockets open until a port is found; otherwise the kernel would offer their ports
    // again.
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

  /**
   * Closes the hold, so that the program can bind the port. If the port is shared, does nothing.
   */
  public void handOver() throws IOException {
    if (!shared) {
      hold.close();
    }
  }

  /**
   * Reserves a port for the next program: the same port if no process uses it any more, otherwise
   * another.
   */
  public void renew() throws IOException {
    hold.close();
    try {
      // Bind without SO_REUSEPORT and SO_REUSEADDR, so that this fails while a process of the
      // previous program listens on the port, or while the kernel still keeps that program's closed
      // connections (TIME_WAIT).
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
