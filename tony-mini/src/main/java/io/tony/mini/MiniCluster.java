package io.tony.mini;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.jspecify.annotations.Nullable;

/**
 * A real HDFS (NameNode, DataNode) and a real YARN (ResourceManager with the CapacityScheduler,
 * NodeManagers) in this JVM. All their files are in one folder, and all their ports are on the
 * loopback interface. Containers are separate processes. The JVM needs the --add-opens options in
 * the property hadoop.add-opens of the parent POM. While a cluster runs, the JVM's log4j output
 * goes to {@code logs/cluster.log} in the cluster's folder. A JVM can run only one cluster at a
 * time. Thread-safe.
 *
 * <p>The daemons behave as Hadoop's documents say; {@link DaemonSettings} sets the properties that
 * differ from Hadoop's defaults.
 */
public final class MiniCluster implements AutoCloseable {

  private static final Set<RMAppState> FINAL_STATES =
      EnumSet.of(RMAppState.FINISHED, RMAppState.FAILED, RMAppState.KILLED);

  private final ClusterFolder folder;
  private final String hadoopClasspath;
  private final ClusterLog log;
  private @Nullable Hdfs hdfs; // null before its start
  private @Nullable Yarn yarn; // null before its start

  private MiniCluster(ClusterFolder folder, String hadoopClasspath, ClusterLog log) {
    this.folder = folder;
    this.hadoopClasspath = hadoopClasspath;
    this.log = log;
  }

  /**
   * Starts a cluster with {@link MiniClusterSpec#defaults()}.
   *
   * @param dir as for {@link #start(Path, MiniClusterSpec, String)}
   */
  public static MiniCluster start(Path dir) throws IOException {
    return start(dir, MiniClusterSpec.defaults());
  }

  /**
   * Starts a cluster whose clients and containers use Hadoop's jars from this JVM's class path.
   *
   * @param dir as for {@link #start(Path, MiniClusterSpec, String)}
   */
  public static MiniCluster start(Path dir, MiniClusterSpec spec) throws IOException {
    return start(dir, spec, HadoopClasspath.ofThisJvm());
  }

  /**
   * Starts a cluster and returns when all its nodes accept containers, after about 7 s.
   *
   * @param dir a new or empty folder, or the folder of an earlier cluster, whose files are then
   *     deleted
   * @param hadoopClasspath the absolute paths, joined with ':', of the Hadoop jars for clients and
   *     containers; must have this JVM's version of Hadoop
   * @throws IOException if the folder contains other files or a daemon does not start; in the
   *     latter case, all daemons have been stopped
   */
  static MiniCluster start(Path dir, MiniClusterSpec spec, String hadoopClasspath)
      throws IOException {
    return start(ClusterFolder.claim(dir), spec, hadoopClasspath);
  }

  /** Starts a cluster in a folder that has been prepared with {@link ClusterFolder#claim}. */
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

  /** Returns a new copy of the configuration for this cluster's clients. */
  public Configuration configuration() {
    return ConfDir.read(folder.conf());
  }

  /**
   * Returns the folder of core-site.xml, hdfs-site.xml, yarn-site.xml and log4j.properties for
   * clients and containers.
   */
  public Path confDir() {
    return folder.conf();
  }

  /**
   * Returns the absolute paths, joined with ':', of Hadoop's jars for clients and containers. If
   * they were not given at the start, they are from this JVM's class path ({@link
   * HadoopClasspath}).
   */
  public String hadoopClasspath() {
    return hadoopClasspath;
  }

  /**
   * Opens this cluster's HDFS as this JVM's user, who is HDFS's superuser. The caller closes it.
   */
  public FileSystem fileSystem() throws IOException {
    return FileSystem.newInstance(configuration());
  }

  /** Creates a user's home folder on HDFS and makes the user its owner. */
  public void makeHome(String user) throws IOException {
    try (FileSystem fs = fileSystem()) {
      org.apache.hadoop.fs.Path home = new org.apache.hadoop.fs.Path("/user", user);
      fs.mkdirs(home);
      fs.setOwner(home, user, user);
    }
  }

  /**
   * Returns the address of the active ResourceManager's web pages and REST API, such as {@code
   * http://localhost:8088}.
   */
  public synchronized String resourceManagerHttp() {
    return yarn().http();
  }

  /**
   * Returns the address of the active NameNode's web pages and of WebHDFS, such as {@code
   * http://localhost:9870}.
   */
  public synchronized String nameNodeHttp() {
    return hdfs().http();
  }

  /**
   * Returns the address of a NodeManager's web pages and REST API. They show the logs of the
   * NodeManager's containers, also after the application's end, until the NodeManager stops.
   *
   * @param index number of the NodeManager, from 0
   */
  public synchronized String nodeManagerHttp(int index) {
    return yarn().nodes().get(index).http();
  }

  /**
   * Returns the log folder of each NodeManager. It contains {@code
   * <application>/<container>/{stdout,stderr,…}}, also after the application's end.
   */
  public synchronized List<Path> logDirs() {
    return yarn().nodes().stream().map(Node::logs).toList();
  }

  /**
   * Stops a NodeManager in the regular way: it kills its containers and unregisters from YARN.
   * Returns when YARN no longer uses the node.
   *
   * @param index number of the NodeManager, from 0
   */
  public synchronized void stopNodeManager(int index)
      throws InterruptedException, TimeoutException {
    yarn().stopNode(index);
  }

  /**
   * Starts a stopped NodeManager again, on its old ports. Returns when YARN uses the node.
   *
   * @param index number of the NodeManager, from 0
   */
  public synchronized void startNodeManager(int index)
      throws InterruptedException, TimeoutException {
    yarn().startNode(index);
  }

  /**
   * Stops the ResourceManager and starts a new one on the same ports, which recovers the
   * applications and their containers. Returns when the nodes have registered with the new one.
   */
  public synchronized void restartResourceManager()
      throws IOException, InterruptedException, TimeoutException {
    yarn().restartResourceManager();
  }

  /**
   * Puts the active one of two ResourceManagers on standby and makes the other one active. Returns
   * when the nodes have registered with the other one.
   */
  synchronized void failOverResourceManager()
      throws IOException, InterruptedException, TimeoutException {
    yarn().failOverResourceManager();
  }

  /** Puts the active one of two NameNodes on standby. Returns when the other one is active. */
  synchronized void failOverNameNode() throws IOException {
    hdfs().failOver();
  }

  /**
   * Waits until the nodes have reported all containers of the application to the ResourceManager as
   * running. If an ApplicationMaster is lost before its containers have been reported, which takes
   * one heartbeat of the node, the ResourceManager ends the containers. Clients cannot see whether
   * a container has been reported, because their ContainerReport has the state RUNNING from the
   * allocation on.
   *
   * @param deadline the maximum wait, from now
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
    return yarn().runsAsReported(application);
  }

  /**
   * Returns one line for each application that is not in a final state, for each container that its
   * NodeManager has not completed, and for each process that a container left behind. Empty if the
   * cluster is idle.
   */
  public synchronized List<String> leftovers() throws IOException {
    List<String> lines = new ArrayList<>();
    for (RMApp app : yarn().applications()) {
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
    for (Node node : yarn().nodes()) {
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

  /**
   * Waits until the cluster is idle or the deadline has passed; returns what is still left ({@link
   * #leftovers}).
   *
   * @param deadline the maximum wait, from now
   */
  public List<String> awaitIdle(Duration deadline) throws IOException, InterruptedException {
    return Await.untilNoLeftovers(deadline, this::leftovers);
  }

  /**
   * Stops the daemons and kills the processes that containers left behind. The cluster's folder,
   * with its logs, is kept.
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

  private Hdfs hdfs() {
    return Objects.requireNonNull(hdfs);
  }

  private Yarn yarn() {
    return Objects.requireNonNull(yarn);
  }

  private synchronized void startDaemons(MiniClusterSpec spec)
      throws IOException, InterruptedException, TimeoutException {
    Configuration settings = DaemonSettings.of(spec, folder, hadoopClasspath);
    Hdfs startedHdfs = Hdfs.start(settings, folder);
    hdfs = startedHdfs;
    settings.set(CommonConfigurationKeys.FS_DEFAULT_NAME_KEY, startedHdfs.uri());
    Yarn startingYarn = new Yarn(settings, spec, folder);
    yarn = startingYarn;
    startingYarn.start();
    ConfDir.write(folder.conf(), startingYarn.configuration(), spec.hadoopSettings());
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
