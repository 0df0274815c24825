package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.http.lib.StaticUserWebFilter;
import org.apache.hadoop.security.AuthenticationFilterInitializer;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;

/**
 * One NodeManager. It can be started and stopped any number of times and keeps its ports and
 * folders, so that YARN sees the same node return. The pages of its logs are available until it
 * stops; the log files are kept. Not thread-safe.
 */
final class Node {

  private final Configuration conf;
  private final Path logs;
  private NodeManager daemon;

  /**
   * Creates a node that does not run yet.
   *
   * @param settings with the address of a running ResourceManager
   * @param host the host that the node listens at, and its name in YARN
   * @param index from 0; part of the names of its folders
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

  /** Starts the NodeManager; returns when the ResourceManager has accepted the registration. */
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

  /** Unregisters from the ResourceManager and kills the containers. Has no effect if stopped. */
  void stop() {
    if (isRunning()) {
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

  /** Address of its pages and REST API; only while it runs. */
  String http() {
    return "http://" + id().getHost() + ":" + context().getHttpPort();
  }

  /** The NodeManager's data about its containers; only while it runs. */
  Context context() {
    return daemon.getNMContext();
  }

  Path logs() {
    return logs;
  }
}
