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
 * parts, both of which the kernel frees with the process, however that ends:
 *
 * <ul>
 *   <li>The <em>hold</em>: a TCP socket that is bound to the port on all addresses and does not
 *       listen, so that whoever connects too early is refused and tries again. It goes when the
 *       program is about to listen, or stays beside the program where the port is shared.
 *   <li>The <em>claim</em>: a UDP socket of the same number, which stays. The kernel may give a TCP
 *       port that no program listens on yet to another executor; that one finds the number claimed,
 *       and takes another. The claim binds executors only: a program of its own that wants this TCP
 *       port gets it.
 * </ul>
 */
public final class PortReservation implements AutoCloseable {
  /** A node on which so many free TCP ports in a row are claimed has none to give. */
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
   * @param shared the hold stays while the program listens, which must set {@code SO_REUSEPORT}
   */
  public static PortReservation take(boolean shared) throws IOException {
    // Kept until a port is found: the kernel would offer them again.
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

  /** The program is about to listen: a port that is not shared has to be free for that. */
  public void handOver() throws IOException {
    if (!shared) {
      hold.close();
    }
  }

  /**
   * Reserves a port for the next program: the same one when nothing is left on it of the program
   * before, else another.
   */
  public void renew() throws IOException {
    hold.close();
    try {
      // Without SO_REUSEPORT, and without SO_REUSEADDR, as any program may bind it: this fails
      // while a process listens there, and while the kernel still guards its last connections.
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
