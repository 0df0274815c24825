package io.tony.mini;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerAppReport;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * The YARN of a cluster: one or two ResourceManagers and the NodeManagers. Hadoop's own
 * MiniYARNCluster is not used, because its NodeManagers cannot be restarted, do not monitor memory,
 * do not use RPC to the ResourceManager, and have the JVM's working directory as their folder. Not
 * thread-safe.
 */
final class Yarn {

  private static final Duration NODE_DEADLINE = Duration.ofMinutes(2);

  private final Configuration conf;
  private final MiniClusterSpec spec;
  private final ClusterFolder folder;
  private final List<Node> nodes = new ArrayList<>();
  private final ResourceManagers resourceManagers;

  /**
   * Creates a YARN that does not run yet. After a failed {@link #start}, {@link #stop} may be
   * called.
   */
  Yarn(Configuration settings, MiniClusterSpec spec, ClusterFolder folder) throws IOException {
    conf = new YarnConfiguration(settings);
    // The ports are fixed, and not chosen when they are opened (port 0), for two reasons: a
    // restarted ResourceManager must get its old ports, and tracking URLs contain the configured
    // port.
    for (String address : ConfDir.RESOURCE_MANAGER_ADDRESSES) {
      conf.set(address, Ports.nextAddress());
    }
    this.spec = spec;
    this.folder = folder;
    this.resourceManagers = new ResourceManagers(conf, folder);
  }

  void start() throws IOException, InterruptedException, TimeoutException {
    // Hadoop stores the limits of the scheduler in static fields when it first uses them, which may
    // have been with Hadoop's default configuration. This call sets the fields from this cluster's
    // configuration.
    ResourceUtils.resetResourceTypes(conf);
    resourceManagers.start();
    for (int i = 0; i < spec.nodeManagers(); i++) {
      nodes.add(new Node(HighAvailability.ofNodes(conf), folder, spec.hostOfNode(i), i));
      startNode(i);
    }
  }

  /** Returns the configuration for nodes and clients. */
  Configuration configuration() {
    return conf;
  }

  /** Returns the address of the active ResourceManager's web pages. */
  String http() {
    return resourceManagers.http();
  }

  List<Node> nodes() {
    return nodes;
  }

  List<RMApp> applications() {
    return List.copyOf(resourceManagers.active().getRMApps().values());
  }

  /**
   * Returns true if the nodes have reported all containers of the application's current attempt to
   * the ResourceManager as running.
   */
  boolean runsAsReported(ApplicationId application) {
    RMApp app = Objects.requireNonNull(resourceManagers.active().getRMApps().get(application));
    SchedulerAppReport attempt =
        resourceManagers
            .active()
            .getScheduler()
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

  void restartResourceManager() throws IOException, InterruptedException, TimeoutException {
    resourceManagers.restart();
    awaitNodes();
  }

  void failOverResourceManager() throws IOException, InterruptedException, TimeoutException {
    resourceManagers.failOver();
    awaitNodes();
  }

  private void awaitNodes() throws InterruptedException, TimeoutException {
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
   * Stops YARN. The NodeManagers are stopped first, so that they can kill their containers and
   * unregister while the ResourceManager is still running.
   */
  void stop() {
    nodes.forEach(Node::stop);
    resourceManagers.stop();
  }

  private boolean isUp(NodeId id) {
    RMNode node = resourceManagers.active().getRMNodes().get(id);
    return node != null && node.getState() == NodeState.RUNNING;
  }
}
