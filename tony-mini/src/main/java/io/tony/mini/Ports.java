package io.tony.mini;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports for daemons that must be told theirs before they bind it. Linux gives its own, from
 * 32768 on, to whoever asks for any: another daemon could get it meanwhile. Not thread-safe.
 */
final class Ports {
  private static final int FIRST = 20_000;
  private static final int END = 30_000;

  private final Set<Integer> given = new HashSet<>();

  /** One that nobody has at the moment, and that this object has not given before. */
  int next() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        if (given.add(port)) {
          return socket.getLocalPort();
        }
      } catch (BindException e) {
        // Somebody has it; there are others.
      }
    }
  }

  /** The same as an address of this machine. */
  String nextAddress() throws IOException {
    return DaemonSettings.HOST + ":" + next();
  }
}
