package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;

/**
 * A real HDFS (NameNode, DataNode) and a real YARN (ResourceManager with the CapacityScheduler,
 * NodeManagers) in this JVM, with all their files below one folder and all their ports on the
 * loopback interface. Containers are separate processes. The JVM needs the --add-opens of the
 * parent POM's hadoop.add-opens, and its log4j output goes to {@code logs/cluster.log} in the
 * folder while a cluster runs. Only one cluster per JVM at a time. Thread-safe.
 *
 * <p>Hadoop's documents define the behaviour; the settings that differ from Hadoop's defaults are
 * in {@link DaemonSettings}.
 */
public final class MiniCluster implements AutoCloseable {

  private static final Set<RMAppState> FINAL_STATES =
      EnumSet.of(RMAppState.FINISHED, RMAppState.FAILED, RMAppState.KILLED);

  private final ClusterFolder folder;
  private final String hadoopClasspath;
  private final ClusterLog log;
  private Hdfs hdfs;
  private Yarn yarn;

  private MiniCluster(ClusterFolder folder, String hadoopClasspath, ClusterLog log) {
    this.folder = folder;
    this.hadoopClasspath = hadoopClasspath;
    this.log = log;
  }

  /** Starts a cluster of {@link MiniClusterSpec#defaults()}. */
  public static MiniCluster start(Path dir) throws IOException {
    return start(dir, MiniClusterSpec.defaults());
  }

  /** Starts a cluster whose clients and containers run on the jars of Hadoop in this JVM. */
  public static MiniCluster start(Path dir, MiniClusterSpec spec) throws IOException {
    return start(dir, spec, HadoopClasspath.ofThisJvm());
  }

  /**
   * Starts a cluster and returns when all its nodes accept work, after about 7 s.
   *
   * @param dir a new or empty folder, or the folder of an earlier cluster, whose remains are then
   *     deleted
   * @param hadoopClasspath absolute paths, joined with ':', of the jars that clients and containers
   *     run on; must be of this JVM's version of Hadoop
   * @throws IOException if the folder contains other files or a daemon does not start; then nothing
   *     keeps running
   */
  static MiniCluster start(Path dir, MiniClusterSpec spec, String hadoopClasspath)
      throws IOException {
    return start(ClusterFolder.claim(dir), spec, hadoopClasspath);
  }

  /** Starts a cluster in a claimed folder. */
  static MiniCluster start(ClusterFolder folder, MiniClusterSpec spec, String hadoopClasspath)
      throws IOException {
    MiniCluster cluster =
        new MiniCluster(folder, hadoopClasspath, ClusterLog.open(folder.clusterLog()));
    try {
      cluster.startDaemons(spec);
      return cluster;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cluster.closedBecauseOf(e);
    } catch (IOException | TimeoutException | RuntimeException e) {
      throw cluster.closedBecauseOf(e);
    }
  }

  /** Returns a new copy of the configuration of this cluster's clients. */
  public Configuration configuration() {
    return ConfDir.read(folder.conf());
  }

  /**
   * The folder of core-site.xml, hdfs-site.xml, yarn-site.xml and log4j.properties, for clients and
   * containers.
   */
  public Path confDir() {
    return folder.conf();
  }

  /**
   * The absolute paths, joined with ':', of Hadoop's jars for clients and containers. Unless given
   * at the start, they are taken from this JVM's class path ({@link HadoopClasspath}).
   */
  public String hadoopClasspath() {
    return hadoopClasspath;
  }

  /** Opens this cluster's HDFS as this JVM's user, who is its superuser. The caller closes it. */
  public FileSystem fileSystem() throws IOException {
    return FileSystem.newInstance(configuration());
  }

  /** Creates a home folder on HDFS for a user, as an administrator does. */
  public void makeHome(String user) throws IOException {
    try (FileSystem fs = fileSystem()) {
      org.apache.hadoop.fs.Path home = new org.apache.hadoop.fs.Path("/user", user);
      fs.mkdirs(home);
      fs.setOwner(home, user, user);
    }
  }

  /** Address of the ResourceManager's pages and REST API, such as {@code http://localhost:8088}. */
  public synchronized String resourceManagerHttp() {
    return yarn.http();
  }

  /** Address of the NameNode's pages and of WebHDFS, such as {@code http://localhost:9870}. */
  public synchronized String nameNodeHttp() {
    return hdfs.http();
  }

  /**
   * Address of a NodeManager's pages and REST API. They show the logs of its containers until the
   * NodeManager stops, even after the application's end.
   *
   * @param index from 0
   */
  public synchronized String nodeManagerHttp(int index) {
    return yarn.nodes().get(index).http();
  }

  /**
   * Returns the log folder of each NodeManager, which contains {@code
   * <application>/<container>/{stdout,stderr,…}}; kept after the job's end.
   */
  public synchronized List<Path> logDirs() {
    return yarn.nodes().stream().map(Node::logs).toList();
  }

  /**
   * Stops one NodeManager as an administrator does: its containers are killed, and YARN is notified
   * immediately.
   *
   * @param index from 0
   */
  public synchronized void stopNodeManager(int index)
      throws InterruptedException, TimeoutException {
    yarn.stopNode(index);
  }

  /**
   * Starts a stopped NodeManager on its old ports and returns when YARN uses it again.
   *
   * @param index from 0
   */
  public synchronized void startNodeManager(int index)
      throws InterruptedException, TimeoutException {
    yarn.startNode(index);
  }

  /**
   * Stops the ResourceManager and starts another one on the same ports, which recovers applications
   * and containers.
   */
  public synchronized void restartResourceManager()
      throws IOException, InterruptedException, TimeoutException {
    yarn.restartResourceManager();
  }

  /**
   * Puts the active one of two ResourceManagers on standby; returns when the nodes have registered
   * with the other one.
   */
  synchronized void failOverResourceManager()
      throws IOException, InterruptedException, TimeoutException {
    yarn.failOverResourceManager();
  }

  /** Puts the active one of two NameNodes on standby; returns when the other one is active. */
  synchronized void failOverNameNode() throws IOException {
    hdfs.failOver();
  }

  /**
   * Waits until the nodes have reported all containers of the application as running. Before that,
   * for one heartbeat of the node, the ResourceManager ends the container if the ApplicationMaster
   * is lost. Clients cannot see this state: a ContainerReport has the state RUNNING from the
   * allocation on.
   *
   * @throws TimeoutException if the deadline has passed
   */
  public void awaitReported(String application, Duration deadline)
      throws InterruptedException, TimeoutException {
    ApplicationId id = ApplicationId.fromString(application);
    Await.until(
        () -> runsAsReported(id),
        deadline,
        () -> "the nodes to report the containers of " + application);
  }

  private synchronized boolean runsAsReported(ApplicationId application) {
    return yarn.runsAsReported(application);
  }

  /**
   * Returns one line for each application that is not in a final state, each container that its
   * NodeManager has not completed, and each process that a container left behind. Empty on an idle
   * cluster.
   */
  public synchronized List<String> leftovers() throws IOException {
    List<String> lines = new ArrayList<>();
    for (RMApp app : yarn.applications()) {
      if (!FINAL_STATES.contains(app.getState())) {
        lines.add(
            "application "
                + app.getApplicationId()
                + " ("
                + app.getName()
                + ") is "
                + app.getState());
      }
    }
    for (Node node : yarn.nodes()) {
      if (node.isRunning()) {
        node.context().getContainers().values().stream()
            .filter(container -> container.getContainerState() != ContainerState.DONE)
            .map(
                c ->
                    "container "
                        + c.getContainerId()
                        + " on "
                        + node.id()
                        + " is "
                        + c.getContainerState())
            .forEach(lines::add);
      }
    }
    ContainerProcess.below(folder.nodes()).forEach(process -> lines.add(process.toString()));
    return List.copyOf(lines);
  }

  /** Waits until nothing is left, and returns what is still left when the deadline has passed. */
  public List<String> awaitIdle(Duration deadline) throws IOException, InterruptedException {
    return Await.untilNoLeftovers(deadline, this::leftovers);
  }

  /**
   * Stops the daemons and kills processes that their containers left running. The folder and its
   * logs are kept.
   */
  @Override
  public synchronized void close() throws IOException {
    try {
      Files.deleteIfExists(folder.ready());
      if (yarn != null) {
        yarn.stop();
        killContainerProcesses();
      }
    } finally {
      if (hdfs != null) {
        hdfs.stop();
      }
      log.close();
    }
  }

  ClusterFolder folder() {
    return folder;
  }

  private synchronized void startDaemons(MiniClusterSpec spec)
      throws IOException, InterruptedException, TimeoutException {
    Configuration settings = DaemonSettings.of(spec, folder, hadoopClasspath);
    hdfs = Hdfs.start(settings, folder);
    settings.set(CommonConfigurationKeys.FS_DEFAULT_NAME_KEY, hdfs.uri());
    yarn = new Yarn(settings, spec, folder);
    yarn.start();
    ConfDir.write(folder.conf(), yarn.configuration(), spec.hadoopSettings());
    Files.writeString(folder.hadoopClasspath(), hadoopClasspath + System.lineSeparator());
  }

  private void killContainerProcesses() throws IOException {
    for (ContainerProcess process : ContainerProcess.below(folder.nodes())) {
      ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private IOException closedBecauseOf(Exception cause) {
    IOException failure =
        new IOException(
            "The cluster did not start (its log is "
                + folder.clusterLog()
                + "): "
                + cause.getMessage(),
            cause);
    try {
      close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }
}
