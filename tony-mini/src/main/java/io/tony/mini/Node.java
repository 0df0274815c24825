package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;

/**
 * One NodeManager. It starts and stops any number of times, and keeps its ports and folders, so
 * that YARN sees the same node come back and links to its logs stay good. Not thread-safe.
 */
final class Node {

  private final Configuration conf;
  private final Path logs;
  private NodeManager daemon;

  Node(Configuration settings, Path local, Path logs) throws IOException {
    this.conf = new YarnConfiguration(settings);
    this.logs = logs;
    conf.set(YarnConfiguration.NM_LOCAL_DIRS, Files.createDirectories(local).toString());
    conf.set(YarnConfiguration.NM_LOG_DIRS, Files.createDirectories(logs).toString());
  }

  /** Returns when the ResourceManager has accepted the registration. */
  void start() {
    NodeManager starting = new NodeManager();
    starting.init(conf);
    try {
      starting.start();
    } catch (RuntimeException e) {
      starting.stop();
      throw e;
    }
    daemon = starting;
    conf.set(YarnConfiguration.NM_ADDRESS, id().toString());
    conf.set(YarnConfiguration.NM_WEBAPP_ADDRESS, id().getHost() + ":" + context().getHttpPort());
  }

  /** Takes leave of the ResourceManager and kills its containers. Does nothing if it is stopped. */
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

  /** What the NodeManager knows of its containers; only while it runs. */
  Context context() {
    return daemon.getNMContext();
  }

  Path logs() {
    return logs;
  }
}
