package io.tony.cluster;

import io.tony.eventlog.EventLog;
import io.tony.eventlog.WholeLog;
import io.tony.model.JobEvent;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * A cluster with other settings than the one that all tests share. It is a process of its own
 * because Hadoop keeps resource types and more in statics.
 */
final class OwnCluster extends ClusterProcess {
  OwnCluster(String name, String... options) {
    super(name, List.of(options));
  }

  /** One more node, of a number that no other has; it is a process of its own. */
  OwnNode addNode(int number, int memoryMiB) throws IOException {
    Path folder = folder().toRealPath().resolve("yarn/nodes").resolve(Integer.toString(number));
    return OwnNode.start(confDir(), folder, "127.1.0." + (number + 1), memoryMiB);
  }

  /** Waits until the ResourceManager has taken a node in so many times. */
  void awaitRegistered(OwnNode node, int times) throws IOException, InterruptedException {
    String text = "NodeManager from node " + node.host();
    while (log().stream().filter(line -> line.contains(text)).count() < times) {
      Thread.sleep(50); // within the test's limit: YARN tells nobody
    }
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
    return Path.of(daemons().property("conf"));
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
    return TonyCommand.start(
        confDir.toString(), daemons().property("classpath"), folder, arguments);
  }

  /** The same as another user, who has a home. */
  TonyCommand submitAs(String user, Path folder, String... arguments) throws IOException {
    return TonyCommand.startAs(user, daemons(), folder, TonyCommand.small("submit", arguments));
  }

  int applications() throws IOException, InterruptedException {
    return daemons().applications().size();
  }

  /**
   * What all containers of the application have, by resource type. Not asked through {@link
   * YarnClient}, whose JVM would have to learn the types, and with it the other cluster in it.
   */
  Map<String, Long> used(String application) throws IOException, InterruptedException {
    return daemons().application(application).used();
  }

  List<JobEvent> events(String application, JobEvent.Type type) throws IOException {
    return events(daemons().property("user"), application, type);
  }

  /** All that is told so far. */
  List<JobEvent> events(String application) throws IOException {
    return read(daemons().property("user"), application);
  }

  /** The same of a job that another user has submitted. */
  List<JobEvent> events(String user, String application, JobEvent.Type type) throws IOException {
    return read(user, application).stream().filter(event -> event.type() == type).toList();
  }

  private List<JobEvent> read(String user, String application) throws IOException {
    try (FileSystem fs = FileSystem.newInstance(configuration())) {
      org.apache.hadoop.fs.Path history =
          new org.apache.hadoop.fs.Path("/user/" + user + "/.tony/history");
      return WholeLog.read(fs, EventLog.folder(history, application));
    }
  }

  /** What a program has written, as the page shows it to which the event's link to a log leads. */
  static String stdout(JobEvent event) throws IOException {
    try (var page = URI.create(event.detail("log") + "/stdout/?start=0").toURL().openStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
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

  static ProcessHandle master(String application) {
    return jvm(application, "AmMain");
  }

  /** One of them, where there are several. */
  static ProcessHandle executor(String application) {
    return jvm(application, "TaskExecutor");
  }

  /** A JVM of the application's that runs this class; the shells that YARN starts name it, too. */
  private static ProcessHandle jvm(String application, String main) {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.filter(process -> process.info().command().orElse("").endsWith("java"))
          .filter(process -> process.info().commandLine().orElse("").contains(main))
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
    return Files.readAllLines(folder().resolve("logs/cluster.log"));
  }

  /** The log of the application's own container. */
  String masterLog(String application) throws IOException {
    for (Path logs : daemons().containerLogs(application)) {
      if (Files.exists(logs.resolve("am.log"))) {
        return Files.readString(logs.resolve("am.log"), StandardCharsets.UTF_8);
      }
    }
    throw new AssertionError("no am.log of " + application);
  }
}
