package io.tony.client.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.conf.HAUtil;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * A server of the cluster that clients call, such as the ResourceManager, with the setting that
 * contains its address.
 *
 * @param name the kind of server and its address, for messages
 * @param addresses HOST:PORT of each process that may answer calls; empty if unknown
 * @param key the configuration key that contains the address
 * @param file the configuration file that sets the key; empty if no file sets it
 */
public record ClusterServer(
    String name, List<String> addresses, String key, Optional<String> file) {
  private static final String CONF_DIR = "HADOOP_CONF_DIR";
  private static final int NAME_NODE_PORT = 8020;
  private static final int PROBE_TIMEOUT_MS = 1_000;

  /** Matches the host and port of the called server in an error message of Hadoop's RPC client. */
  private static final Pattern CALLED_ADDRESS = Pattern.compile(" to ([^\\s/:]+:\\d+) ");

  /**
   * Returns the ResourceManager that YARN's clients call. If failover is configured, the addresses
   * are those of all ResourceManagers.
   */
  public static ClusterServer resourceManager(Configuration conf) {
    if (HAUtil.isHAEnabled(conf)) {
      List<String> addresses = new ArrayList<>();
      for (String id : HAUtil.getRMHAIds(conf)) {
        String key = HAUtil.addSuffix(YarnConfiguration.RM_ADDRESS, id);
        String host = conf.get(HAUtil.addSuffix(YarnConfiguration.RM_HOSTNAME, id), id);
        addresses.add(conf.get(key, host + ":" + YarnConfiguration.DEFAULT_RM_PORT));
      }
      return of("the ResourceManagers at ", addresses, YarnConfiguration.RM_HA_IDS, conf);
    }
    String address = conf.get(YarnConfiguration.RM_ADDRESS, YarnConfiguration.DEFAULT_RM_ADDRESS);
    boolean isAddressSet = file(conf, YarnConfiguration.RM_ADDRESS).isPresent();
    String key = isAddressSet ? YarnConfiguration.RM_ADDRESS : YarnConfiguration.RM_HOSTNAME;
    return of("the ResourceManager at ", List.of(address), key, conf);
  }

  /** Returns the server of the default file system, which contains the files of jobs. */
  public static ClusterServer fileSystem(Configuration conf) {
    URI uri = FileSystem.getDefaultUri(conf);
    String key = CommonConfigurationKeysPublic.FS_DEFAULT_NAME_KEY;
    List<String> addresses = new ArrayList<>();
    if (uri.getHost() != null) {
      String[] nodes = conf.getTrimmedStrings("dfs.ha.namenodes." + uri.getHost());
      for (String node : nodes) {
        String addressKey = "dfs.namenode.rpc-address." + uri.getHost() + "." + node;
        Optional.ofNullable(conf.getTrimmed(addressKey)).ifPresent(addresses::add);
      }
      if (nodes.length == 0 && uri.getPort() > 0) {
        addresses.add(uri.getAuthority());
      } else if (nodes.length == 0 && uri.getScheme().equals("hdfs")) {
        addresses.add(uri.getHost() + ":" + NAME_NODE_PORT);
      }
    }
    String name = (uri.getScheme().equals("hdfs") ? "HDFS at " : "the file system ") + uri;
    return new ClusterServer(name, List.copyOf(addresses), key, file(conf, key));
  }

  private static ClusterServer of(
      String name, List<String> addresses, String key, Configuration conf) {
    return new ClusterServer(
        name + String.join(", ", addresses), List.copyOf(addresses), key, file(conf, key));
  }

  /**
   * Returns the configuration file that sets the key. Empty if only Hadoop's defaults set it, or if
   * it is not set.
   */
  private static Optional<String> file(Configuration conf, String key) {
    String[] sources = conf.getPropertySources(key);
    if (sources == null || sources.length == 0) {
      return Optional.empty();
    }
    String source = sources[sources.length - 1];
    if (source.contains("-default.xml")) {
      return Optional.empty();
    }
    URL found = source.contains("/") ? null : conf.getResource(source);
    return Optional.of(found == null ? source : found.toString().replaceFirst("^file:/+", "/"));
  }

  /**
   * Returns a sentence with the remedy if the configuration contains neither the address of a
   * ResourceManager nor a default file system of a cluster; otherwise empty.
   */
  public static Optional<String> unconfigured(Configuration conf, Map<String, String> environment) {
    ClusterServer yarn = resourceManager(conf);
    ClusterServer files = fileSystem(conf);
    if (yarn.file().isPresent() || files.file().isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        "no cluster is configured: no core-site.xml and no yarn-site.xml on the class path sets "
            + files.key()
            + " or "
            + yarn.key()
            + " ("
            + confDirDescription(environment)
            + "). Set HADOOP_CONF_DIR to the folder of the cluster's files");
  }

  /** Returns, for messages, the folder from which this client reads Hadoop's configuration. */
  static String confDirDescription(Map<String, String> environment) {
    String folder = environment.getOrDefault(CONF_DIR, "");
    if (folder.isEmpty()) {
      return CONF_DIR + " is not set";
    }
    boolean exists = Files.isDirectory(Path.of(folder));
    return CONF_DIR + " is " + folder + (exists ? "" : ", which is no folder");
  }

  /**
   * Returns, for messages, the server's name with the configuration key and the file that set its
   * address.
   */
  String description() {
    return name
        + " ("
        + key
        + file.map(source -> " of " + source).orElse(", which no file sets: Hadoop's default")
        + ")";
  }

  /** Returns true if an error message of Hadoop's RPC client names an address of this server. */
  boolean isNamedIn(String message) {
    Matcher matcher = CALLED_ADDRESS.matcher(message);
    Optional<InetSocketAddress> calledAddress =
        matcher.find() ? socketAddress(matcher.group(1)) : Optional.empty();
    return addresses.stream()
        .anyMatch(
            address ->
                calledAddress.isPresent()
                    ? calledAddress.equals(socketAddress(address))
                    : address.startsWith("0.0.0.0:")
                        && message.contains("endpoint configuration is wrong"));
  }

  /**
   * Parses HOST:PORT, and resolves the host if possible. Returns empty if the text is malformed.
   */
  private static Optional<InetSocketAddress> socketAddress(String address) {
    int colon = address.lastIndexOf(':');
    if (colon <= 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new InetSocketAddress(
              address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * Tries to connect to each address, and returns the results in words. Takes up to {@link
   * #PROBE_TIMEOUT_MS} milliseconds for each address.
   */
  String probe() {
    StringJoiner answers = new StringJoiner("; ");
    for (String address : addresses) {
      String answer = probe(address);
      answers.add(addresses.size() == 1 ? answer : address + ": " + answer);
    }
    return answers.toString();
  }

  private static String probe(String address) {
    Optional<InetSocketAddress> socketAddress = socketAddress(address);
    if (socketAddress.isEmpty()) {
      return "this is not HOST:PORT";
    }
    if (socketAddress.get().isUnresolved()) {
      return "the name of this host is not known here";
    }
    try (Socket socket = new Socket()) {
      socket.connect(socketAddress.get(), PROBE_TIMEOUT_MS);
      return "it takes connections, and has not answered";
    } catch (SocketTimeoutException e) {
      return "it takes no connection";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
