package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.eventlog.EventLog;
import io.tony.eventlog.WholeLog;
import io.tony.mini.MiniCluster;
import io.tony.mini.MiniClusterSpec;
import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/**
 * One cluster for all cluster tests of this JVM. Before and after each test it is idle ({@link
 * LeavesNothing}): no application, no container, no process of one, no staging folder.
 */
public abstract class ClusterTest {
  static final Duration IDLE_WITHIN = LeavesNothing.IDLE_TIMEOUT;

  private static final Pattern APPLICATION = Pattern.compile("application_\\d+_\\d+");

  /** Two JVMs run these tests, each with a cluster. */
  private static final Path CLUSTER_FOLDER =
      Path.of(System.getProperty("cluster.folder", "target/cluster")).toAbsolutePath();

  private static MiniCluster cluster;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing =
      new LeavesNothing(
          new LeavesNothing.Cluster() {
            @Override
            public List<String> awaitIdle(Duration limit) throws IOException, InterruptedException {
              return left(limit);
            }

            @Override
            public void killAll() throws IOException {
              ClusterTest.killAll();
            }
          });

  static synchronized MiniCluster cluster() throws IOException {
    if (cluster == null) {
      cluster =
          MiniCluster.start(
              CLUSTER_FOLDER,
              MiniClusterSpec.defaults()
                  .withOwnAddresses()
                  .withNodeHeartbeat(TestCluster.NODE_HEARTBEAT));
      MiniCluster toClose = cluster;
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    try {
                      toClose.close();
                    } catch (IOException e) {
                      System.err.println("the cluster does not stop: " + e);
                    }
                  }));
    }
    return cluster;
  }

  /** Also what tests of several jobs ask between two of them. */
  static void nothingIsLeft() throws IOException, InterruptedException {
    assertEquals(List.of(), left(IDLE_WITHIN));
  }

  private static List<String> left(Duration limit) throws IOException, InterruptedException {
    List<String> left = cluster().awaitIdle(limit);
    return left.isEmpty() ? stagingFolders() : left;
  }

  private static void killAll() throws IOException {
    try (YarnClient yarn = YarnClient.createYarnClient();
        FileSystem fs = cluster().fileSystem()) {
      yarn.init(cluster().configuration());
      yarn.start();
      for (ApplicationReport report :
          yarn.getApplications(
              EnumSet.complementOf(
                  EnumSet.of(
                      YarnApplicationState.FINISHED,
                      YarnApplicationState.FAILED,
                      YarnApplicationState.KILLED)))) {
        yarn.killApplication(report.getApplicationId());
      }
      fs.delete(staging(fs), true);
    } catch (YarnException e) {
      throw new IOException(e);
    }
  }

  static org.apache.hadoop.fs.Path staging(FileSystem fs) {
    return new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), ".tony/staging");
  }

  static List<String> stagingFolders() throws IOException {
    try (FileSystem fs = cluster().fileSystem()) {
      org.apache.hadoop.fs.Path staging = staging(fs);
      if (!fs.exists(staging)) {
        return List.of();
      }
      return Arrays.stream(fs.listStatus(staging))
          .map(FileStatus::getPath)
          .map(org.apache.hadoop.fs.Path::getName)
          .toList();
    }
  }

  /** Starts {@code tony submit} with small containers; what is given later wins. */
  TonyCommand submit(String... arguments) throws IOException {
    return start(TonyCommand.small("submit", arguments));
  }

  TonyCommand tony(String... arguments) throws IOException {
    return start(List.of(arguments));
  }

  private TonyCommand start(List<String> arguments) throws IOException {
    return TonyCommand.start(
        cluster().confDir().toString(),
        cluster().hadoopClasspath(),
        folder.getRoot().toPath(),
        arguments);
  }

  /** A file in the job's folder. */
  Path write(String name, String content) throws IOException {
    Path file = folder.getRoot().toPath().resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content, StandardCharsets.UTF_8);
  }

  static List<JobEvent> events(String application) throws IOException {
    try (FileSystem fs = cluster().fileSystem()) {
      org.apache.hadoop.fs.Path history =
          new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), ".tony/history");
      return WholeLog.read(fs, EventLog.folder(history, application));
    }
  }

  static List<JobEvent> events(String application, JobEvent.Type type) throws IOException {
    return events(application).stream().filter(event -> event.type() == type).toList();
  }

  static ApplicationReport report(String application) throws IOException, YarnException {
    try (YarnClient yarn = YarnClient.createYarnClient()) {
      yarn.init(cluster().configuration());
      yarn.start();
      return yarn.getApplicationReport(ApplicationId.fromString(application));
    }
  }

  static int applications() throws IOException, YarnException {
    try (YarnClient yarn = YarnClient.createYarnClient()) {
      yarn.init(cluster().configuration());
      yarn.start();
      return yarn.getApplications().size();
    }
  }

  /** The text of one task's log file of one kind, in the last container that the task had. */
  static String log(String application, String task, String file) throws IOException {
    List<JobEvent> allocations =
        events(application, JobEvent.Type.TASK_ALLOCATED).stream()
            .filter(event -> event.task().toString().equals(task))
            .toList();
    return logOf(application, allocations.get(allocations.size() - 1).detail("container"), file);
  }

  /** The same of a container. */
  static String logOf(String application, String container, String file) throws IOException {
    for (Path logs : cluster().logDirs()) {
      Path candidate = logs.resolve(application).resolve(container).resolve(file);
      if (Files.exists(candidate)) {
        return Files.readString(candidate, StandardCharsets.UTF_8);
      }
    }
    throw new AssertionError("no " + file + " in " + container);
  }

  /**
   * Holds the first free port from here on, where neither the kernel nor tony-mini gives any away.
   */
  static ServerSocket heldPort(int from) throws IOException {
    for (int port = from; port < from + 100; port++) {
      try {
        return new ServerSocket(port);
      } catch (BindException e) {
        // The next one.
      }
    }
    throw new IOException("no free port from " + from + " on");
  }

  /** The JVMs of the executors that run, by their containers. */
  static Map<String, Long> executors() {
    Map<String, Long> executors = new TreeMap<>();
    for (ProcessHandle process : processes("io.tony.executor.TaskExecutor")) {
      if (process.info().command().orElse("").endsWith("java")) {
        folderOf(process)
            .ifPresent(cwd -> executors.put(cwd.getFileName().toString(), process.pid()));
      }
    }
    return executors;
  }

  /** SIGKILL to the ApplicationMaster's JVM, of a job whose containers are to outlive it. */
  static void killMaster() throws InterruptedException, TimeoutException {
    killMaster("");
  }

  /** The same where several jobs run. */
  static void killMaster(String application) throws InterruptedException, TimeoutException {
    ProcessHandle master = master(application);
    Matcher running = APPLICATION.matcher(folderOf(master).orElseThrow().toString());
    assertTrue(running.find());
    awaitReported(running.group());
    master.destroyForcibly();
  }

  /** Until then YARN takes a container with the ApplicationMaster that is lost. */
  static void awaitReported(String application) throws InterruptedException, TimeoutException {
    try {
      cluster().awaitReported(application, IDLE_WITHIN);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The ApplicationMaster's JVM. */
  static ProcessHandle master(String application) {
    return masters(application).findFirst().orElseThrow();
  }

  /** Waits until no ApplicationMaster of the application runs: it may do so after the job's end. */
  static void awaitMastersEnd(String application) {
    masters(application).forEach(master -> master.onExit().join());
  }

  /** The shells that YARN starts name its class, too. */
  static Stream<ProcessHandle> masters(String application) {
    return processes("io.tony.am.AmMain").stream()
        .filter(process -> process.info().command().orElse("").endsWith("java"))
        .filter(process -> folderOf(process).orElse(Path.of("")).toString().contains(application));
  }

  /** Processes of this cluster's containers whose command line holds the text. */
  static List<ProcessHandle> processes(String text) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(process -> process.info().commandLine().orElse("").contains(text))
          .filter(ClusterTest::runsInAContainer)
          .toList();
    }
  }

  private static boolean runsInAContainer(ProcessHandle process) {
    return folderOf(process).filter(cwd -> cwd.startsWith(CLUSTER_FOLDER)).isPresent();
  }

  /** Its working directory; none when it has ended meanwhile. */
  static Optional<Path> folderOf(ProcessHandle process) {
    try {
      return Optional.of(
          Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd")));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
