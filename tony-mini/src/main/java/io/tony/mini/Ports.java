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
 * Reserves free ports for daemons whose port must be configured before they open it. The ports are
 * below 32768, where Linux's range of randomly chosen ports begins, so that no other process gets
 * them by chance. A port is reserved for this JVM until the JVM ends, even if it is never opened.
 * Clusters in other JVMs also use this class and so get other ports.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int END = 30_000;

  /**
   * An empty file in which each JVM locks the bytes whose positions are the numbers of its ports.
   * This is the JVM's only channel of the file, and it is never closed, because closing any channel
   * of a file releases all the process's locks on the file.
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

  /** Reserves a port that is not open and that no JVM has reserved, and returns it. */
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
      return false; // already reserved by this JVM
    }
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  /** Reserves a port and returns it with the host, as {@code localhost:PORT}. */
  static String nextAddress() throws IOException {
    return DaemonSettings.HOST + ":" + next();
  }
}
