package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The TCP ports that processes listen at, from Linux's /proc/net/tcp and tcp6 (proc_net_tcp in the
 * kernel's documents): hexadecimal ADDRESS:PORT in column 2, the state in column 4, the socket's
 * inode in column 10.
 */
final class ListeningPorts {

  /** 127.0.0.1, the same as an IPv6 address, and ::1, in the kernel's byte order. */
  private static final Set<String> LOOPBACK =
      Set.of("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000");

  private static final String LISTEN = "0A";

  /**
   * One port.
   *
   * @param socket what /proc calls the socket: another that listens at this number has another name
   */
  record Port(int number, boolean loopback, String socket) {}

  private ListeningPorts() {}

  static List<Port> of(long pid) throws IOException {
    Set<String> sockets = socketsOf(pid);
    return all().stream().filter(port -> sockets.contains(port.socket())).toList();
  }

  /** Those of all processes. */
  static List<Port> all() throws IOException {
    List<Port> ports = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
        String[] column = line.trim().split("\\s+", -1);
        if (column[3].equals(LISTEN)) {
          String[] local = column[1].split(":", 2);
          ports.add(
              new Port(
                  Integer.parseInt(local[1], 16),
                  LOOPBACK.contains(local[0]),
                  "socket:[" + column[9] + "]"));
        }
      }
    }
    return ports;
  }

  private static Set<String> socketsOf(long pid) throws IOException {
    Set<String> sockets = new HashSet<>();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
        try {
          sockets.add(Files.readSymbolicLink(descriptor).toString());
        } catch (NoSuchFileException e) {
          // Closed meanwhile; what listens stays open.
        }
      }
    }
    return sockets;
  }
}
