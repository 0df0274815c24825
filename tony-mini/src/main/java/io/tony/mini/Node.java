package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.http.lib.StaticUserWebFilter;
import org.apache.hadoop.security.AuthenticationFilterInitializer;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.jspecify.annotations.Nullable;

/**
 * One NodeManager. It can be stopped and started repeatedly, and keeps its ports and folders, so
 * that YARN recognizes it as the same node. Its web pages show logs of containers until it stops;
 * the log files are kept. Not thread-safe.
 */
final class Node {

  private final Configuration conf;
  private final Path logs;
  private @Nullable NodeManager daemon; // null while the NodeManager does not run

  /**
   * Creates a NodeManager that does not run yet.
   *
   * @param settings the configuration, with the address of a running ResourceManager
   * @param host the host on which the NodeManager listens, which is also its name in YARN
   * @param index number of the NodeManager, from 0; part of the names of its folders
   */
  Node(Configuration settings, ClusterFolder folder, String host, int index) throws IOException {
    conf = new YarnConfiguration(settings);
    for (String address :
        List.of(
            YarnConfiguration.NM_ADDRESS,
            YarnConfiguration.NM_LOCALIZER_ADDRESS,
            YarnConfiguration.NM_WEBAPP_ADDRESS)) {
      conf.set(address, host + ":" + Ports.next());
    }
    logs = Files.createDirectories(folder.nodeLogs(index));
    conf.set(
        YarnConfiguration.NM_LOCAL_DIRS,
        Files.createDirectories(folder.nodeLocal(index)).toString());
    conf.set(YarnConfiguration.NM_LOG_DIRS, logs.toString());
    Class<?> login =
        UserGroupInformation.isSecurityEnabled()
            ? AuthenticationFilterInitializer.class
            : StaticUserWebFilter.class;
    conf.set(HttpServer2.FILTER_INITIALIZER_PROPERTY, DaemonPages.with(login.getName()));
    conf.set(HttpServer2.HTTP_TEMP_DIR_KEY, folder.pagesOf("node-" + index).toString());
  }

  /** Starts the NodeManager. Returns when the ResourceManager has accepted its registration. */
  void start() {
    NodeManager starting = new LogKeepingNodeManager();
    starting.init(conf);
    try {
      starting.start();
    } catch (RuntimeException e) {
      starting.stop();
      throw e;
    }
    daemon = starting;
  }

  /**
   * Stops the NodeManager, which unregisters from the ResourceManager and kills its containers. Has
   * no effect if it does not run.
   */
  void stop() {
    if (daemon != null) {
      daemon.stop();
      daemon = null;
    }
  }

  boolean isRunning() {
    return daemon != null;
  }

  NodeId id() {
    return context().getNodeId();
  }

  /**
   * Returns the address of the NodeManager's web pages and REST API; to be called only while the
   * NodeManager runs.
   */
  String http() {
    return "http://" + id().getHost() + ":" + context().getHttpPort();
  }

  /**
   * Returns the NodeManager's own data, such as its containers; to be called only while the
   * NodeManager runs.
   */
  Context context() {
    return Objects.requireNonNull(daemon).getNMContext();
  }

  Path logs() {
    return logs;
  }
}
