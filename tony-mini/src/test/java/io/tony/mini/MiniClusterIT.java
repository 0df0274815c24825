package io.tony.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.BlockMissingException;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class MiniClusterIT {

  private static final Path FOLDER = Path.of("target", "mini-cluster-it");
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @Rule public final TemporaryFolder scratch = new TemporaryFolder();

  private static MiniCluster cluster;
  private static DistributedShell shell;

  @BeforeClass
  public static void startCluster() throws IOException {
    cluster =
        MiniCluster.start(
            FOLDER,
            MiniClusterSpec.defaults()
                .withNodeSize(1024, 4)
                .withNodeHeartbeat(Duration.ofMillis(100)));
    shell = new DistributedShell(cluster.configuration());
  }

  @After
  public void shouldLeaveNothingBehind() throws Exception {
    assertEquals(List.of(), cluster.awaitIdle(PATIENCE));
  }

  @AfterClass
  public static void stopCluster() throws IOException {
    cluster.close();
  }

  @Test
  public void shouldKeepWhatIsWrittenToHdfs() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("greeting");
    try (FileSystem hdfs = cluster.fileSystem()) {
      try (FSDataOutputStream out = hdfs.create(file)) {
        out.write("grüezi".getBytes(StandardCharsets.UTF_8));
      }
      assertEquals("grüezi", read(hdfs, file));
      assertEquals("hdfs", hdfs.getUri().getScheme());
    }
  }

  /**
   * A DataNode of Hadoop 3.4 forgets a block that is opened at the moment at which it is closed:
   * the file is not where it was (HDFS-17342). Here its folder is away for as long.
   */
  @Test
  public void shouldReadABlockThatItsDataNodeHasForgotten() throws Exception {
    org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("forgotten");
    Configuration hasty = cluster.configuration();
    hasty.setInt(HdfsClientConfigKeys.DFS_CLIENT_MAX_BLOCK_ACQUIRE_FAILURES_KEY, 0);
    try (FileSystem hdfs = cluster.fileSystem();
        FileSystem onlyOnce = FileSystem.newInstance(hasty)) {
      try (FSDataOutputStream out = hdfs.create(file)) {
        out.write("still there".getBytes(StandardCharsets.UTF_8));
      }
      Path blocks = folderOfBlock("still there");
      Path away = Files.move(blocks, FOLDER.resolve("away"));
      assertThrows(BlockMissingException.class, () -> read(onlyOnce, file));
      Files.move(away, blocks);

      assertEquals("still there", read(hdfs, file));
    }
  }

  private static String read(FileSystem hdfs, org.apache.hadoop.fs.Path file) throws IOException {
    try (FSDataInputStream in = hdfs.open(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Path folderOfBlock(String text) throws IOException {
    try (Stream<Path> all = Files.walk(FOLDER.resolve("hdfs"))) {
      for (Path file :
          all.filter(path -> path.getFileName().toString().matches("blk_\\d+")).toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).equals(text)) {
          return file.getParent();
        }
      }
    }
    throw new AssertionError("no block with " + text);
  }

  @Test
  public void shouldRunAnApplicationAndServeItsLogsAfterwards() throws Exception {
    assertTrue(await(shell.run("speaker", 2, "echo it runs on $JAVA_HOME")));

    ApplicationReport report = shell.report("speaker");
    String spoken = "it runs on " + System.getProperty("java.home") + "\n";
    assertEquals(FinalApplicationStatus.SUCCEEDED, report.getFinalApplicationStatus());
    List<Path> logs = logsWith(report, spoken);
    assertEquals(2, logs.size());
    for (Path log : logs) {
      String page = get(logPage(report, log));
      assertTrue(page, page.contains(spoken));
    }
    String tracking = report.getTrackingUrl();
    assertTrue(tracking, tracking.startsWith(cluster.resourceManagerHttp() + "/"));
  }

  /** Guice would let each server of the JVM show the pages of the daemon that was started last. */
  @Test
  public void shouldShowEachDaemonsOwnPages() throws Exception {
    String resourceManager = cluster.resourceManagerHttp();
    assertTrue(get(URI.create(resourceManager)).contains("All Applications"));
    assertTrue(
        get(URI.create(resourceManager + "/ws/v1/cluster/info"))
            .contains("resourceManagerVersion"));
    for (int node = 0; node < 2; node++) {
      String http = cluster.nodeManagerHttp(node);
      String id = runningNode(http).getNodeId().toString();
      assertTrue(get(URI.create(http + "/ws/v1/node/info")).contains(id));
    }
    assertTrue(get(URI.create(cluster.nameNodeHttp())).contains("dfshealth"));
  }

  @Test
  public void shouldNameWhatIsStillAlive() throws Exception {
    CompletableFuture<Boolean> sleeper = shell.run("sleeper", 1, "exec sleep 600");
    awaitProcess(": sleep 600", sleeper);

    List<String> leftovers = cluster.leftovers();
    ApplicationReport report = shell.report("sleeper");
    String id = report.getApplicationId().toString();
    assertTrue(
        leftovers.toString(), leftovers.contains("application " + id + " (sleeper) is RUNNING"));
    assertTrue(
        leftovers.toString(),
        leftovers.stream().anyMatch(l -> l.matches("container .* is RUNNING")));

    try (YarnClient yarn = yarnClient()) {
      yarn.killApplication(report.getApplicationId());
    }
    assertFalse(await(sleeper));
  }

  @Test
  public void shouldGiveWorkToANodeThatCameBack() throws Exception {
    assertEquals(2, runningNodes().size());
    cluster.stopNodeManager(0);
    assertEquals(1, runningNodes().size());
    cluster.startNodeManager(0);
    assertEquals(2, runningNodes().size());
    cluster.stopNodeManager(1);

    assertTrue(await(shell.run("on node 0", 1, "echo back")));

    assertFalse(logsWith(shell.report("on node 0"), "back\n").isEmpty());
    cluster.startNodeManager(1);
    assertEquals(2, runningNodes().size());
  }

  @Test
  public void shouldKeepAnApplicationRunningWhenTheResourceManagerRestarts() throws Exception {
    Path go = scratch.getRoot().toPath().resolve("go");
    CompletableFuture<Boolean> waiter =
        shell.run("waiter", 1, "until [ -e " + go + " ]; do sleep 0.1; done; echo went on");
    awaitProcess("until [ -e", waiter);

    cluster.restartResourceManager();
    Files.createFile(go);

    assertTrue(await(waiter));
    ApplicationReport report = shell.report("waiter");
    assertEquals(1, report.getCurrentApplicationAttemptId().getAttemptId());
    assertEquals(1, logsWith(report, "went on\n").size());
  }

  private static boolean await(CompletableFuture<Boolean> application) throws Exception {
    return application.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /**
   * Waits until a process with this in its command line is alive, or fails when the application
   * ends first.
   */
  private static void awaitProcess(String command, CompletableFuture<Boolean> application)
      throws Exception {
    Await.until(
        () -> application.isDone() || leftovers().stream().anyMatch(line -> line.contains(command)),
        PATIENCE,
        () -> "a process with '" + command + "'");
    assertFalse("the application ended", application.isDone());
  }

  private static List<String> leftovers() {
    try {
      return cluster.leftovers();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The stdout of each container of the application that wrote exactly this. */
  private static List<Path> logsWith(ApplicationReport report, String text) throws IOException {
    Stream.Builder<Path> found = Stream.builder();
    for (Path node : cluster.logDirs()) {
      Path application = node.resolve(report.getApplicationId().toString());
      if (Files.exists(application)) {
        try (Stream<Path> logs = Files.walk(application)) {
          for (Path log : (Iterable<Path>) logs.filter(l -> l.endsWith("stdout"))::iterator) {
            if (Files.readString(log).equals(text)) {
              found.add(log);
            }
          }
        }
      }
    }
    return found.build().toList();
  }

  /** The page of a log that is at NODE/APPLICATION/CONTAINER/stdout. */
  private static URI logPage(ApplicationReport report, Path log) {
    Path container = log.getParent();
    int node = cluster.logDirs().indexOf(container.getParent().getParent());
    return URI.create(
        String.join(
            "/",
            cluster.nodeManagerHttp(node),
            "node/containerlogs",
            container.getFileName().toString(),
            report.getUser(),
            "stdout?start=0"));
  }

  private static String get(URI page) throws IOException, InterruptedException {
    HttpClient browser =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    return browser
        .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static List<NodeReport> runningNodes() throws Exception {
    try (YarnClient yarn = yarnClient()) {
      return yarn.getNodeReports(NodeState.RUNNING);
    }
  }

  private static NodeReport runningNode(String http) throws Exception {
    return runningNodes().stream()
        .filter(node -> http.equals("http://" + node.getHttpAddress()))
        .findAny()
        .orElseThrow(() -> new AssertionError("YARN knows no node at " + http));
  }

  private static YarnClient yarnClient() {
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(cluster.configuration());
    yarn.start();
    return yarn;
  }
}
