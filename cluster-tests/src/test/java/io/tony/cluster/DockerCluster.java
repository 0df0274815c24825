package io.tony.cluster;

import io.tony.model.JobEvent;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.rules.ExternalResource;
import org.junit.rules.RuleChain;
import org.junit.rules.TestRule;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/**
 * A cluster that runs tasks in Docker containers, by YARN's own Docker runtime and a real Docker
 * daemon, and a user whose jobs they are. The node's Java and Hadoop are mounted: the images have
 * neither.
 */
final class DockerCluster implements TestRule, LeavesNothing.Cluster {
  /** The registry of the images that the cluster trusts. */
  static final String REGISTRY = "tony-test";

  private static final String DOCKER = "yarn.nodemanager.runtime.linux.docker";

  private final String name;
  private final SystemUsers users = new SystemUsers("tonydocker");
  private final DockerDaemon daemon;
  private final OwnCluster cluster;

  /** What the containers read of the node's. The nodes' own folders are YARN's to mount. */
  private final Map<String, String> mounts = new TreeMap<>();

  private final List<String> helper = new ArrayList<>();
  private final List<String> settings =
      new ArrayList<>(
          List.of(
              "yarn.nodemanager.runtime.linux.allowed-runtimes=default,docker",
              DOCKER + ".allowed-container-networks=host",
              DOCKER + ".default-container-network=host",
              DOCKER + ".capabilities=none"));

  /**
   * What is added to it is added before it starts.
   *
   * @param name the folder's in {@code target}
   * @param daemon options of the Docker daemon
   */
  DockerCluster(String name, String... daemon) {
    this.name = name;
    this.daemon = new DockerDaemon(name + "-daemon", daemon);
    this.cluster = new OwnCluster(name);
    for (String file :
        List.of(
            System.getProperty("java.home"),
            BuildArtifacts.hadoopJars().toString(),
            Path.of("target", name, "conf").toAbsolutePath().toString(),
            // Hadoop asks who it is, by name.
            "/etc/passwd",
            "/etc/group")) {
      mount(file, file);
    }
  }

  /** Mounts one more file of the node's into every container, to be read only. */
  DockerCluster mount(String source, String target) {
    mounts.put(source, target);
    return this;
  }

  /** More lines of the native helper's configuration, the first of which are those of [docker]. */
  DockerCluster helper(String... lines) {
    helper.addAll(List.of(lines));
    return this;
  }

  /** More of Hadoop's settings, NAME=VALUE. */
  DockerCluster settings(String... more) {
    settings.addAll(List.of(more));
    return this;
  }

  /** More of the cluster's own options. */
  DockerCluster options(String... more) {
    cluster.add(more);
    return this;
  }

  @Override
  public Statement apply(Statement tests, Description description) {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "[docker]",
                "module.enabled=true",
                "docker.binary=" + daemon.client(),
                "docker.trusted.registries=" + REGISTRY,
                "docker.allowed.networks=host",
                "docker.allowed.capabilities=",
                "docker.allowed.ro-mounts=" + String.join(",", mounts.keySet()),
                "docker.allowed.rw-mounts="
                    + Path.of("target", name, "yarn/nodes").toAbsolutePath()));
    lines.addAll(helper);
    List<String> readOnly =
        mounts.entrySet().stream().map(mount -> mount.getKey() + ":" + mount.getValue()).toList();
    settings(DOCKER + ".default-ro-mounts=" + String.join(",", readOnly));
    LinuxContainers containers = new LinuxContainers(name, lines.toArray(String[]::new));
    cluster.add(containers.options(settings.toArray(String[]::new)));
    return RuleChain.outerRule(users)
        .around(daemon)
        .around(containers)
        .around(cluster)
        .around(home())
        .apply(tests, description);
  }

  private ExternalResource home() {
    return new ExternalResource() {
      @Override
      protected void before() throws IOException, InterruptedException {
        cluster.daemons().makeHome(user());
      }
    };
  }

  /** The operating system's user as whom the tasks run. */
  String user() {
    return users.name(0);
  }

  DockerDaemon daemon() {
    return daemon;
  }

  OwnCluster yarn() {
    return cluster;
  }

  /** Starts {@code tony submit} as the user, for tasks in an image. */
  TonyCommand submit(Path folder, String image, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("-conf", "tony.docker.enabled=true"));
    all.addAll(List.of("-conf", "tony.docker.containers.image=" + image));
    return cluster.submitAs(user(), folder, all.toArray(String[]::new));
  }

  /** The events of a job of the user's. */
  List<JobEvent> events(String application, JobEvent.Type type) throws IOException {
    return cluster.events(user(), application, type);
  }

  /** What a task's program has written, as YARN's page shows it. */
  String stdout(String application, String task) throws IOException {
    JobEvent allocated =
        events(application, JobEvent.Type.TASK_ALLOCATED).stream()
            .filter(event -> event.task().toString().equals(task))
            .findFirst()
            .orElseThrow();
    return OwnCluster.stdout(allocated);
  }

  @Override
  public List<String> awaitIdle(Duration limit) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    List<String> left = left(limit);
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      Thread.sleep(100); // Docker is asked by YARN, which tells nobody
      left = left(limit);
    }
    return left;
  }

  private List<String> left(Duration limit) throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(cluster.awaitIdle(limit));
    left.addAll(daemon.containers());
    return left;
  }

  @Override
  public void killAll() throws IOException, InterruptedException {
    cluster.killAll();
  }
}
