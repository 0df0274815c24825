package io.tony.mini;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports for daemons that must be told theirs before they bind it. Linux gives its own, from
 * 32768 on, to whoever asks for any: another daemon could get it meanwhile. A port that is given is
 * this JVM's until it ends, whether or not it is bound: the clusters of other JVMs ask here, too.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int END = 30_000;

  /**
   * A file without content, of which a JVM locks the bytes at the positions of its ports. One
   * channel, never closed: closing any channel of a file gives up all of a process's locks in it.
   */
  private static final FileChannel RESERVATIONS = open();

  private Ports() {}

  private static FileChannel open() {
    String name = "tony-mini-" + System.getProperty("user.name") + ".ports";
    Path file = Path.of(System.getProperty("java.io.tmpdir"), name);
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One that nobody has at the moment, and that no cluster has been given. */
  public static int next() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (reserve(port) && isFree(port)) {
        return port;
      }
    }
  }

  private static boolean reserve(int port) throws IOException {
    try {
      return RESERVATIONS.tryLock(port, 1, false) != null;
    } catch (OverlappingFileLockException e) {
      return false; // this JVM has it
    }
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  /** The same as an address of this machine. */
  static String nextAddress() throws IOException {
    return DaemonSettings.HOST + ":" + next();
  }
}
