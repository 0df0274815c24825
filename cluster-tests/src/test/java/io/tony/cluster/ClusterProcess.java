package io.tony.cluster;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.rules.ExternalResource;

/**
 * A cluster that is a process of its own, for the tests of one class. Its nodes have addresses of
 * their own, 127.1.0.1, 127.1.0.2 and so on, by which the event log tells them apart.
 */
abstract class ClusterProcess extends ExternalResource implements LeavesNothing.Cluster {
  private final String name;
  private final List<String> options = new ArrayList<>(List.of("--own-addresses", "true"));
  private MiniClusterProcess process;

  /** {@code name} is the folder's in {@code target}. */
  ClusterProcess(String name, List<String> options) {
    this.name = name;
    this.options.addAll(options);
  }

  /** Before it starts. */
  final void add(String... more) {
    options.addAll(List.of(more));
  }

  @Override
  protected final void before() throws IOException, InterruptedException {
    process = TestCluster.start(name, options.toArray(String[]::new));
  }

  @Override
  protected final void after() {
    try {
      process.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** As the ResourceManager and the NameNode show it. */
  final MiniClusterProcess daemons() {
    return process;
  }

  final Path folder() {
    return Path.of("target", name);
  }

  /** Nodes that aggregate logs hand them in, and delete them, in their own time. */
  final void awaitNoLogsOnNodes(String application) throws IOException, InterruptedException {
    List<Path> logs = process.containerLogs(application);
    while (logs.stream().anyMatch(Files::exists)) {
      Thread.sleep(100); // within the test's limit
    }
  }

  /** Until there is no application, no container process and no staging folder. */
  @Override
  public final List<String> awaitIdle(Duration limit) throws IOException, InterruptedException {
    return process.awaitIdle(limit);
  }

  @Override
  public final void killAll() throws IOException, InterruptedException {
    process.killAll();
  }
}
