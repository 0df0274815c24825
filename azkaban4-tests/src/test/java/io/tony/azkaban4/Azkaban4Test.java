package io.tony.azkaban4;

import io.tony.mini.MiniClusterProcess;
import io.tony.mini.MiniClusterProcess.Application;
import io.tony.testing.FlowFolder;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.After;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.TestName;

/**
 * Flows in a whole Azkaban 4, with job type and tab as an administrator installs them, on one
 * cluster: both for all tests of this JVM. Before and after each test the cluster is idle: no
 * application, no process of a container, no staging folder. Afterwards no client is left, either.
 */
public abstract class Azkaban4Test {

  /** A program that runs until it is ended. */
  static final String SLEEPS = "executes=sleep 5151";

  static final String ONE_WORKER = "tony.worker.instances=1";

  private static MiniClusterProcess cluster;
  private static Azkaban4 azkaban;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final TestName test = new TestName();

  /** Within the rules above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(Azkaban4Test::cluster);

  @Rule(order = 2)
  public final LeavesNoClient leavesNoClient = new LeavesNoClient(Azkaban4Test::azkaban);

  private final List<Execution> started = new ArrayList<>();
  private final Map<Path, String> settings = new HashMap<>();
  private String project = "";

  static synchronized MiniClusterProcess cluster() throws IOException, InterruptedException {
    if (cluster == null) {
      // Azkaban's cleaner of applications acts for the user of each.
      String proxyUser = "hadoop.proxyuser." + System.getProperty("user.name");
      cluster =
          TestCluster.start(
              "mini", TestCluster.settings(proxyUser + ".hosts=*", proxyUser + ".groups=*"));
    }
    return cluster;
  }

  /** The Azkaban of all tests; a test that changes it puts back what it has changed. */
  static synchronized Azkaban4 azkaban() throws IOException, InterruptedException {
    if (azkaban == null) {
      // A new folder each time: an earlier build's server may have been killed.
      Path state = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "azkaban");
      azkaban = new Azkaban4(state, cluster()).start();
    }
    return azkaban;
  }

  @After
  public void endWhatWasStarted() throws IOException, InterruptedException {
    if (!azkaban().isAlive()) {
      azkaban().start();
    }
    for (Execution execution : started) {
      if (!execution.hasEnded()) {
        try {
          execution.kill();
        } catch (IOException e) {
          // One of a server that is gone: Azkaban has it RUNNING until somebody kills it.
        }
      }
    }
  }

  final Path root() {
    return temporary.getRoot().toPath();
  }

  /** The folder of the flow that a test writes. */
  final FlowFolder files() throws IOException {
    return FlowFolder.in(root().resolve("flow"));
  }

  static String[] tony(String... lines) {
    return FlowFolder.tony(lines);
  }

  /** A shell's command that waits for a file. */
  static String waitFor(Path file) {
    return "while [ ! -e " + file + " ]; do sleep 0.1; done";
  }

  /** Adds to the administrator's settings of the job type, for this test. */
  final void setJobType(String... lines) throws IOException, InterruptedException {
    keepSettings();
    azkaban().jobType().set(lines);
    azkaban().reloadJobTypes();
  }

  /** The same for those that no job can read. */
  final void setJobTypePrivately(String... lines) throws IOException, InterruptedException {
    keepSettings();
    azkaban().jobType().setPrivate(lines);
    azkaban().reloadJobTypes();
  }

  private void keepSettings() throws IOException, InterruptedException {
    if (settings.isEmpty()) {
      for (String name : List.of("plugin.properties", "private.properties")) {
        Path file = azkaban().jobType().jobTypes().resolve("tony").resolve(name);
        settings.put(file, read(file));
      }
    }
  }

  @After
  public void setJobTypeBack() throws IOException, InterruptedException {
    for (Map.Entry<Path, String> file : settings.entrySet()) {
      Files.writeString(file.getKey(), file.getValue());
    }
    if (!settings.isEmpty()) {
      azkaban().reloadJobTypes();
    }
  }

  /** Executes what {@link #files} has, as a project of its own; named after its last job. */
  final Execution execute(String flow) throws IOException, InterruptedException {
    return execute(files().folder(), flow, new FlowOptions());
  }

  /** Uploads the folder as the next version of this test's project, and executes its flow. */
  final Execution execute(Path folder, String flow, FlowOptions options)
      throws IOException, InterruptedException {
    AzkabanApi api = azkaban().api();
    if (project.isEmpty()) {
      project = test.getMethodName();
      api.createProject(project);
    }
    api.upload(project, folder);
    return executeAgain(flow, options);
  }

  /**
   * Executes a flow of the version that was uploaded last. What still runs at the end is killed.
   */
  final Execution executeAgain(String flow, FlowOptions options)
      throws IOException, InterruptedException {
    return startedByAzkaban(azkaban().api().execute(project, flow, options.fields()));
  }

  /** An execution that Azkaban has started itself; killed at the end like all others. */
  final Execution startedByAzkaban(int id) throws IOException, InterruptedException {
    Execution execution = new Execution(azkaban(), id);
    started.add(execution);
    return execution;
  }

  /** The application of a job's last attempt, as YARN shows it. */
  static Application application(Execution execution, String job)
      throws IOException, InterruptedException {
    return cluster().application(execution.application(job));
  }

  /** How many applications this cluster has had. */
  static int applications() throws IOException, InterruptedException {
    return cluster().applications().size();
  }

  static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }
}
