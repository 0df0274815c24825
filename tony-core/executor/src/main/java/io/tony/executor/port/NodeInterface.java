package io.tony.executor.port;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Determines the network interface through which the programs of a gang reach each other, and the
 * environment variables that tell communication libraries to use it. Without these variables, a
 * library takes the first interface that it finds, which may be a virtual bridge.
 */
public final class NodeInterface {
  /**
   * Option value that selects the interface through which this node reaches the ApplicationMaster.
   */
  static final String AUTO = "auto";

  /**
   * Variables read, in this order, by PyTorch's gloo, PyTorch's TensorPipe, Horovod's gloo and
   * ps-lite.
   */
  private static final List<String> VARIABLES =
      List.of("GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "HOROVOD_GLOO_IFACE", "DMLC_INTERFACE");

  /**
   * Address reserved for documentation (RFC 5737): no host has it, so the route to it is the one to
   * other networks.
   */
  private static final String OUTSIDE_ADDRESS = "192.0.2.1";

  private static final String NCCL = "NCCL_SOCKET_IFNAME";

  private NodeInterface() {}

  /**
   * Returns the environment variables that name the interface to the program's libraries.
   *
   * @param nameOrAuto name of an interface, or {@link #AUTO}
   * @param master address of the ApplicationMaster
   * @throws IOException if the node has no such interface
   */
  public static Map<String, String> variables(String nameOrAuto, InetSocketAddress master)
      throws IOException {
    String name = nameOrAuto.equals(AUTO) ? towards(master) : requireExisting(nameOrAuto);
    Map<String, String> environment = new LinkedHashMap<>();
    VARIABLES.forEach(variable -> environment.put(variable, name));
    // "=" requires exactly this name. Without it, NCCL takes any interface whose name begins so.
    environment.put(NCCL, "=" + name);
    return environment;
  }

  /** Returns the error message if the node has no such interface; empty if it has. */
  public static String problem(String nameOrAuto, InetSocketAddress master) {
    try {
      variables(nameOrAuto, master);
      return "";
    } catch (IOException e) {
      return Objects.requireNonNullElse(e.getMessage(), e.toString());
    }
  }

  /**
   * Returns the name of the interface through which this node reaches the ApplicationMaster. On the
   * ApplicationMaster's own node the ApplicationMaster's host name may resolve to the loopback
   * address; then returns the interface that leads to other networks.
   */
  private static String towards(InetSocketAddress master) throws IOException {
    InetSocketAddress address = new InetSocketAddress(master.getHostString(), master.getPort());
    boolean ownName =
        !address.isUnresolved()
            && address.getAddress().isLoopbackAddress()
            && !master.getHostString().matches("localhost|127\\..*|::1");
    return leadingTo(ownName ? new InetSocketAddress(OUTSIDE_ADDRESS, 9) : address);
  }

  /**
   * Returns the name of the interface through which this node would send datagrams to the address.
   * Nothing is sent: connecting a datagram socket only determines the socket's local address.
   */
  private static String leadingTo(InetSocketAddress address) throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      connect(socket, address);
      InetAddress local = socket.getLocalAddress();
      NetworkInterface found = NetworkInterface.getByInetAddress(local);
      if (found == null) {
        throw new IOException(
            "no network interface has the address "
                + local.getHostAddress()
                + ", by which the ApplicationMaster is reached; name one"
                + " (tony.task.network-interface)");
      }
      return found.getName();
    }
  }

  private static void connect(DatagramSocket socket, InetSocketAddress address) throws IOException {
    try {
      socket.connect(address);
    } catch (SocketException | UncheckedIOException e) {
      throw new IOException(
          "which network interface leads to "
              + address
              + " is not known: "
              + e.getMessage()
              + "; name one (tony.task.network-interface)",
          e);
    }
  }

  private static String requireExisting(String name) throws IOException {
    if (NetworkInterface.getByName(name) == null) {
      String available =
          NetworkInterface.networkInterfaces()
              .map(NetworkInterface::getName)
              .sorted()
              .collect(Collectors.joining(", "));
      throw new IOException(
          "this node has no network interface "
              + name
              + " (tony.task.network-interface); it has "
              + available);
    }
    return name;
  }
}
