package io.tony.cluster;

import io.tony.eventlog.EventLog;
import io.tony.mini.MiniClusterProcess;
import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.rules.ExternalResource;

/**
 * A cluster with other settings than the one that all tests share, for the tests of one class. It
 * is a process of its own: Hadoop keeps resource types and more in statics. Its nodes have
 * addresses of their own, 127.1.0.1, 127.1.0.2 and so on, by which the event log tells them apart.
 */
final class OwnCluster extends ExternalResource implements LeavesNothing.Cluster {
  private final String name;
  private final String[] options;
  private MiniClusterProcess process;

  OwnCluster(String name, String... options) {
    this.name = name;
    List<String> all = new ArrayList<>(List.of("--own-addresses", "true"));
    all.addAll(List.of(options));
    this.options = all.toArray(String[]::new);
  }

  @Override
  protected void before() throws IOException, InterruptedException {
    process = TestCluster.start(name, options);
  }

  @Override
  protected void after() {
    try {
      process.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** One more node, of a number that no other has; it is a process of its own. */
  OwnNode addNode(int number, int memoryMiB) throws IOException {
    Path folder =
        Path.of("target", name)
            .toRealPath()
            .resolve("yarn/nodes")
            .resolve(Integer.toString(number));
    return OwnNode.start(confDir(), folder, "127.1.0." + (number + 1), memoryMiB);
  }

  /** What a client of the cluster is configured with. */
  Configuration configuration() {
    Configuration conf = new YarnConfiguration();
    for (String file : List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(confDir().resolve(file).toUri()));
    }
    return conf;
  }

  Path confDir() {
    return Path.of(process.ready("conf"));
  }

  YarnClient yarn() {
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(configuration());
    yarn.start();
    return yarn;
  }

  /** Starts {@code tony submit} with small containers; what is given later wins. */
  TonyCommand submit(Path folder, String... arguments) throws IOException {
    return submit(confDir(), folder, arguments);
  }

  /** The same for a client with another configuration folder. */
  TonyCommand submit(Path confDir, Path folder, String... arguments) throws IOException {
    return small(confDir, folder, "submit", arguments);
  }

  /** Starts another command of {@code tony} with small containers. */
  TonyCommand small(Path folder, String command, String... arguments) throws IOException {
    return small(confDir(), folder, command, arguments);
  }

  private TonyCommand small(Path confDir, Path folder, String command, String... arguments)
      throws IOException {
    return tony(confDir, folder, TonyCommand.small(command, arguments));
  }

  /** Starts any {@code tony} command. */
  TonyCommand tony(Path folder, String... arguments) throws IOException {
    return tony(confDir(), folder, List.of(arguments));
  }

  private TonyCommand tony(Path confDir, Path folder, List<String> arguments) throws IOException {
    return TonyCommand.start(confDir.toString(), process.ready("classpath"), folder, arguments);
  }

  /** The same as another user, who has a home. */
  TonyCommand submitAs(String user, Path folder, String... arguments) throws IOException {
    return TonyCommand.startAs(user, process, folder, TonyCommand.small("submit", arguments));
  }

  /** As the ResourceManager and the NameNode show it. */
  MiniClusterProcess daemons() {
    return process;
  }

  int applications() throws IOException, InterruptedException {
    return process.applications().size();
  }

  /**
   * What all containers of the application have, by resource type. Not asked through {@link
   * YarnClient}, whose JVM would have to learn the types, and with it the other cluster in it.
   */
  Map<String, Long> used(String application) throws IOException, InterruptedException {
    return process.application(application).used();
  }

  /** Until there is no application, no container process and no staging folder. */
  @Override
  public List<String> awaitIdle(Duration limit) throws IOException, InterruptedException {
    return process.awaitIdle(limit);
  }

  @Override
  public void killAll() throws IOException, InterruptedException {
    process.killAll();
  }

  List<JobEvent> events(String application, JobEvent.Type type) throws IOException {
    try (FileSystem fs = FileSystem.newInstance(configuration())) {
      org.apache.hadoop.fs.Path history =
          new org.apache.hadoop.fs.Path(process.hdfsHome(), ".tony/history");
      return EventLog.read(fs, EventLog.folder(history, application)).stream()
          .filter(event -> event.type() == type)
          .toList();
    }
  }

  /** The nodes on which the tasks of a role ran, in the order of their indices. */
  List<String> nodes(String application, String role) throws IOException {
    return events(application, JobEvent.Type.TASK_ALLOCATED).stream()
        .filter(event -> event.task().role().equals(role))
        .sorted((a, b) -> a.task().compareTo(b.task()))
        .map(event -> event.detail("node"))
        .toList();
  }

  /** The ApplicationMaster's JVM; the shells that YARN starts name its class, too. */
  static ProcessHandle master(String application) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(process -> process.info().command().orElse("").endsWith("java"))
          .filter(process -> process.info().commandLine().orElse("").contains("AmMain"))
          .filter(
              process ->
                  ClusterTest.folderOf(process)
                      .filter(folder -> folder.toString().contains(application))
                      .isPresent())
          .findFirst()
          .orElseThrow();
    }
  }

  /** What the daemons have logged. */
  List<String> log() throws IOException {
    return Files.readAllLines(Path.of("target", name, "logs", "cluster.log"));
  }

  /** The log of the application's own container. */
  String masterLog(String application) throws IOException {
    for (Path logs : process.containerLogs(application)) {
      if (Files.exists(logs.resolve("am.log"))) {
        return Files.readString(logs.resolve("am.log"), StandardCharsets.UTF_8);
      }
    }
    throw new AssertionError("no am.log of " + application);
  }
}
