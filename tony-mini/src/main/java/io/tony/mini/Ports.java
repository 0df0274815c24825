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
 * Free ports for daemons whose port must be set before they bind it. The ports are below Linux's
 * own range for random ports, which begins at 32768, so no other process gets them by chance. A
 * port is reserved for this JVM until the JVM ends, bound or not; clusters in other JVMs use this
 * class, too.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int END = 30_000;

  /**
   * An empty file, of which each JVM locks the bytes at the positions of its ports. There is one
   * channel that is never closed: closing any channel of a file releases all locks of the process
   * on the file.
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

  /** Reserves a port that is not in use and that no cluster has reserved. */
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
      return false; // reserved by this JVM
    }
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  /** Reserves a port and returns it as an address of this machine. */
  static String nextAddress() throws IOException {
    return DaemonSettings.HOST + ":" + next();
  }
}
