package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import io.tony.mini.MiniClusterProcess.Application;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.FlowFolder;
import io.tony.testing.InstalledJobType;
import io.tony.testing.LeavesNothing;
import io.tony.testing.Python;
import io.tony.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/**
 * Flows in Azkaban's own flow engine, with the job type as an administrator installs it, on one
 * cluster for all tests of this JVM. Before and after each test the cluster is idle: no
 * application, no process of a container, no staging folder.
 */
public abstract class ClusterFlowTest {

  /** Some flows train with a real framework, several times. */
  private static final Duration TEST_LIMIT = Duration.ofMinutes(8);

  private static final Pattern APPLICATION_ID = Pattern.compile("application_\\d+_\\d+");

  private static final String GPU = "yarn.io/gpu";
  private static final String RESOURCES = "yarn.nodemanager.resource-plugins";

  /**
   * Two queues beside the default one; one user may fill whatever is free in each. Each node has
   * two GPUs that are none, scheduled by YARN's own plugin.
   */
  private static final String[] SETTINGS =
      TestCluster.settings(
          "yarn.resource-types=" + GPU,
          RESOURCES + "=" + GPU,
          RESOURCES + ".gpu.allowed-gpu-devices=0:0,1:1",
          RESOURCES
              + ".gpu.path-to-discovery-executables="
              + BuildArtifacts.file("src-test-resources/gpu/nvidia-smi"),
          "yarn.scheduler.capacity.root.queues=default,nightly,training",
          "yarn.scheduler.capacity.root.default.capacity=60",
          "yarn.scheduler.capacity.root.nightly.capacity=20",
          "yarn.scheduler.capacity.root.training.capacity=20",
          "yarn.scheduler.capacity.root.default.user-limit-factor=10",
          "yarn.scheduler.capacity.root.nightly.user-limit-factor=10",
          "yarn.scheduler.capacity.root.training.user-limit-factor=10");

  /**
   * On the one cluster each execution has its own number, as in one Azkaban. With the same number,
   * a job of the same name would find the checkpoints of another test's job.
   */
  private static final AtomicInteger EXECUTIONS = new AtomicInteger();

  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing =
      LeavesNothing.on(ClusterFlowTest::cluster).within(TEST_LIMIT);

  final RecordedEvents events = new RecordedEvents();
  private final List<FlowExecution> started = new ArrayList<>();
  private InstalledJobType plugin;

  static synchronized MiniClusterProcess cluster() throws IOException, InterruptedException {
    if (cluster == null) {
      cluster = TestCluster.start("mini", SETTINGS);
    }
    return cluster;
  }

  @BeforeClass
  public static void onlyThePluginFolderHasTheJobType() {
    assertThrows(ClassNotFoundException.class, () -> Class.forName("io.tony.azkaban.TonyJob"));
  }

  @Before
  public void installPlugin() throws IOException, InterruptedException {
    plugin = InstalledJobType.install(root().resolve("plugins"), cluster());
  }

  @After
  public void endWhatWasStarted() throws InterruptedException {
    for (FlowExecution execution : started) {
      execution.kill("a test that failed");
    }
  }

  Path root() {
    return temporary.getRoot().toPath();
  }

  InstalledJobType plugin() {
    return plugin;
  }

  /** The folder of the flow that a test writes. */
  FlowFolder files() throws IOException {
    return FlowFolder.in(root().resolve("flow"));
  }

  /** The lines of a {@code type=tony} job whose containers are small. */
  static String[] tony(String... lines) {
    return FlowFolder.tony(lines);
  }

  FlowRequest.Builder request(Path flow) {
    return FlowRequest.builder(flow, root().resolve("work"))
        .executionId(EXECUTIONS.incrementAndGet())
        .plugins(plugin.jobTypes())
        .listener(events);
  }

  FlowResult run(Path flow) throws FlowSetupException, IOException, InterruptedException {
    return FlowEngine.run(request(flow).build());
  }

  FlowExecution start(Path flow) throws FlowSetupException, IOException {
    return start(request(flow));
  }

  /** What still runs of it at the test's end is killed. */
  FlowExecution start(FlowRequest.Builder request) throws FlowSetupException, IOException {
    FlowExecution execution = FlowEngine.prepare(request.build());
    started.add(execution);
    execution.start();
    return execution;
  }

  /** Looks at what only a file tells, for as long as the execution writes it. */
  static void await(FlowExecution execution, String what, Callable<Boolean> look) throws Exception {
    while (true) {
      boolean ended = execution.hasEnded();
      if (look.call()) {
        return;
      }
      assertFalse("the flow has ended without " + what, ended);
      Thread.sleep(100); // within the test's limit: a file tells nobody
    }
  }

  /** What the sample flows want to be told, as the quickstart tells it. */
  FlowRequest.Builder sample(String name) throws IOException, InterruptedException {
    return request(BuildArtifacts.file("sample-flows/" + name))
        .property("python", python())
        .property("hdfs.uri", cluster().property("fs.default"))
        .property("webhdfs.url", cluster().property("namenode.http"))
        .property("data.dir", "/tmp/" + root().getFileName());
  }

  /** The interpreter that {@code python3} stands for, by its absolute path. */
  static String python() throws IOException, InterruptedException {
    return Python.path();
  }

  /** The JVMs of TonY's client that this JVM, as Azkaban's executor, has started. */
  static List<ProcessHandle> clients() {
    return clients(ProcessHandle.current());
  }

  static List<ProcessHandle> clients(ProcessHandle executor) {
    return executor
        .children()
        .filter(
            process -> process.info().commandLine().orElse("").contains("io.tony.client.TonyCli"))
        .toList();
  }

  /** Ends one of the containers' processes that run this Python program, as a crash would. */
  static void killProgram(String name) throws IOException, InterruptedException {
    cluster().kill("\\S+", "\\S*python\\S* \\S*" + Pattern.quote(name) + "\\b.*");
  }

  /** The ids of the applications that a job's log names, in the order of their appearance. */
  List<String> applicationIds(String job) {
    return events.lines(job).stream()
        .flatMap(line -> APPLICATION_ID.matcher(line).results())
        .map(MatchResult::group)
        .distinct()
        .toList();
  }

  /** The only application of a job, as YARN shows it. */
  Application application(String job) throws IOException, InterruptedException {
    List<String> ids = applicationIds(job);
    assertEquals(log(job), 1, ids.size());
    return cluster().application(ids.get(0));
  }

  /** How many applications this cluster has had. */
  static int applications() throws IOException, InterruptedException {
    return cluster().applications().size();
  }

  String log(String job) {
    return String.join("\n", events.lines(job));
  }

  void assertLogged(String job, String text) {
    assertTrue("'" + text + "' is missing in:\n" + log(job), log(job).contains(text));
  }

  static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }
}
