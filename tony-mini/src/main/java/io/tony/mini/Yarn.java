package io.tony.mini;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.http.lib.StaticUserWebFilter;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerAppReport;
import org.apache.hadoop.yarn.server.security.http.RMAuthenticationFilterInitializer;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * A ResourceManager and its NodeManagers, as the daemons' own services. Hadoop's MiniYARNCluster is
 * not used: its nodes cannot come back, watch no memory, talk to the ResourceManager past its RPC,
 * and live in the working directory of the JVM. Not thread-safe.
 */
final class Yarn {

  private static final Duration NODE_DEADLINE = Duration.ofMinutes(2);

  /**
   * What a port is picked from that is bound later. Linux gives its own, from 32768 on, to whoever
   * asks for any: another daemon could get it meanwhile.
   */
  private static final int FIRST_PORT = 20_000;

  private static final int END_OF_PORTS = 30_000;

  private final Configuration conf;
  private final MiniClusterSpec spec;
  private final ClusterFolder folder;
  private final List<Node> nodes = new ArrayList<>();
  private ResourceManager resourceManager;

  /** Nothing runs yet; {@link #stop} is allowed after a {@link #start} that failed half way. */
  Yarn(Configuration settings, MiniClusterSpec spec, ClusterFolder folder) throws IOException {
    conf = new YarnConfiguration(settings);
    // Not 0: the ResourceManager builds the tracking URLs out of the port that it is given, not of
    // the one it gets.
    conf.set(YarnConfiguration.RM_WEBAPP_ADDRESS, DaemonSettings.HOST + ":" + freePort());
    conf.set(
        HttpServer2.FILTER_INITIALIZER_PROPERTY,
        // The ResourceManager adds the first itself, but only to a list of the second alone.
        DaemonPages.with(
            RMAuthenticationFilterInitializer.class.getName(),
            StaticUserWebFilter.class.getName()));
    conf.set(HttpServer2.HTTP_TEMP_DIR_KEY, folder.pagesOf("resourcemanager").toString());
    this.spec = spec;
    this.folder = folder;
  }

  void start() throws IOException, InterruptedException, TimeoutException {
    // Hadoop keeps the scheduler's limits in statics, filled by whoever asked first: without this,
    // its
    // defaults would hold.
    ResourceUtils.resetResourceTypes(conf);
    startResourceManager();
    for (int i = 0; i < spec.nodeManagers(); i++) {
      // Not earlier: a node takes over the ports that the ResourceManager now has.
      nodes.add(new Node(conf, folder, spec.hostOfNode(i), i));
      startNode(i);
    }
  }

  /** The settings of the ResourceManager, with the ports it listens at. */
  Configuration configuration() {
    return conf;
  }

  List<Node> nodes() {
    return nodes;
  }

  List<RMApp> applications() {
    return List.copyOf(resourceManager.getRMContext().getRMApps().values());
  }

  /** Whether the nodes have reported of each container of the application that it runs. */
  boolean runsAsReported(ApplicationId application) {
    RMApp app = resourceManager.getRMContext().getRMApps().get(application);
    SchedulerAppReport attempt =
        resourceManager
            .getResourceScheduler()
            .getSchedulerAppInfo(app.getCurrentAppAttempt().getAppAttemptId());
    return attempt != null
        && attempt.getLiveContainers().stream()
            .allMatch(container -> container.getState() == RMContainerState.RUNNING);
  }

  void startNode(int index) throws InterruptedException, TimeoutException {
    Node node = nodes.get(index);
    if (node.isRunning()) {
      throw new IllegalStateException("NodeManager " + index + " already runs");
    }
    node.start();
    NodeId id = node.id();
    Await.until(
        () -> isUp(id),
        NODE_DEADLINE,
        () -> "NodeManager " + id + " to be RUNNING in the ResourceManager");
  }

  void stopNode(int index) throws InterruptedException, TimeoutException {
    Node node = nodes.get(index);
    if (!node.isRunning()) {
      throw new IllegalStateException("NodeManager " + index + " does not run");
    }
    NodeId id = node.id();
    node.stop();
    Await.until(
        () -> !isUp(id),
        NODE_DEADLINE,
        () -> "the ResourceManager to notice that NodeManager " + id + " left");
  }

  void restartResourceManager() throws InterruptedException, TimeoutException {
    resourceManager.stop();
    startResourceManager();
    for (Node node : nodes) {
      if (node.isRunning()) {
        NodeId id = node.id();
        Await.until(
            () -> isUp(id),
            NODE_DEADLINE,
            () -> "NodeManager " + id + " to come back to the ResourceManager");
      }
    }
  }

  /**
   * Nodes first: they kill their containers and take leave of a ResourceManager that is still
   * there.
   */
  void stop() {
    nodes.forEach(Node::stop);
    if (resourceManager != null) {
      resourceManager.stop();
    }
  }

  private void startResourceManager() {
    resourceManager = new ResourceManager();
    resourceManager.init(conf);
    resourceManager.start();
  }

  private boolean isUp(NodeId id) {
    RMNode node = resourceManager.getRMContext().getRMNodes().get(id);
    return node != null && node.getState() == NodeState.RUNNING;
  }

  private static int freePort() throws IOException {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_OF_PORTS);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // Somebody has it; there are others.
      }
    }
  }
}
