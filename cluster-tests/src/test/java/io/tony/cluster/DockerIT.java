package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.Built;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.RuleChain;
import org.junit.rules.TemporaryFolder;

/**
 * Tasks in Docker containers, by YARN's own Docker runtime and a real Docker daemon. The node's
 * Java and Hadoop are mounted: the images have neither.
 */
public class DockerIT {
  private static final String NAME = "mini-docker";
  private static final String PLAIN = "tony-test/plain:1";
  private static final String OTHER = "tony-test/other:1";
  private static final String STRANGER = "stranger/plain:1";
  private static final String DOCKER = "yarn.nodemanager.runtime.linux.docker";

  private static final SystemUsers USERS = new SystemUsers("tonydocker");
  private static final DockerDaemon DAEMON = new DockerDaemon(NAME + "-daemon");

  /** What the containers read of the node's. The nodes' own folders are YARN's to mount. */
  private static final List<String> READ =
      List.of(
          System.getProperty("java.home"),
          Built.hadoopJars().toString(),
          Path.of("target", NAME, "conf").toAbsolutePath().toString(),
          // Hadoop asks who it is, by name.
          "/etc/passwd",
          "/etc/group");

  private static final LinuxContainers CONTAINERS =
      new LinuxContainers(
          NAME,
          "[docker]",
          "module.enabled=true",
          "docker.binary=" + DAEMON.client(),
          "docker.trusted.registries=tony-test",
          "docker.allowed.networks=host",
          "docker.allowed.capabilities=",
          "docker.allowed.ro-mounts=" + String.join(",", READ),
          "docker.allowed.rw-mounts=" + Path.of("target", NAME, "yarn/nodes").toAbsolutePath());

  private static final OwnCluster CLUSTER =
      new OwnCluster(
          NAME,
          CONTAINERS.options(
              "yarn.nodemanager.runtime.linux.allowed-runtimes=default,docker",
              DOCKER + ".allowed-container-networks=host",
              DOCKER + ".default-container-network=host",
              DOCKER + ".capabilities=none",
              DOCKER
                  + ".default-ro-mounts="
                  + String.join(",", READ.stream().map(file -> file + ":" + file).toList())));

  @ClassRule
  public static final RuleChain PARTS =
      RuleChain.outerRule(USERS).around(DAEMON).around(CONTAINERS).around(CLUSTER);

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing =
      new LeavesNothing(
          new LeavesNothing.Cluster() {
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
              List<String> left = new ArrayList<>(CLUSTER.awaitIdle(limit));
              left.addAll(DAEMON.containers());
              return left;
            }

            @Override
            public void killAll() throws IOException, InterruptedException {
              CLUSTER.killAll();
            }
          });

  private final String user = USERS.name(0);

  @BeforeClass
  public static void makeImages() throws Exception {
    DAEMON.makeImage(PLAIN);
    DAEMON.makeImage(OTHER);
    DAEMON.docker("tag", PLAIN, STRANGER);
  }

  @Before
  public void makeHome() throws Exception {
    CLUSTER.daemons().makeHome(user);
  }

  private TonyCommand submit(String image, String program, String... more) throws IOException {
    Path source = folder.getRoot().toPath().resolve("src");
    if (Files.notExists(source)) {
      Files.createDirectory(source);
      Files.writeString(source.resolve("train.py"), TRAIN);
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-executes",
                program,
                "-src_dir",
                source.toString(),
                "-conf",
                "tony.docker.enabled=true",
                "-conf",
                "tony.docker.containers.image=" + image));
    for (String conf : more) {
      arguments.addAll(List.of("-conf", conf));
    }
    return CLUSTER.submitAs(user, folder.getRoot().toPath(), arguments.toArray(String[]::new));
  }

  /** Descends to the slope of a line; the collector is whom the workers report it to. */
  private static final String TRAIN =
      """
      import json, os, socket, sys
      from random import Random

      image = open("/etc/image-name").read().strip()
      cluster = json.loads(os.environ["CLUSTER_SPEC"])
      host, port = cluster["collector"][0].split(":")
      if os.environ["JOB_NAME"] == "collector":
          with socket.create_server(("", int(port))) as server:
              slopes = [server.accept()[0].makefile().readline().strip() for _ in cluster["worker"]]
          print("image", image, "heard", *slopes, flush=True)
      else:
          random, slope = Random(1), 0.0
          for _ in range(2000):
              x = random.random()
              slope -= 0.1 * (slope * x - 3 * x) * x
          print("image", image, "slope", round(slope, 2), flush=True)
          while True:
              try:
                  with socket.create_connection((host, int(port)), 10) as collector:
                      collector.sendall(f"{round(slope, 2)}\\n".encode())
                  break
              except ConnectionRefusedError:
                  pass
      """;

  private String stdout(String application, String task) throws IOException {
    JobEvent allocated =
        CLUSTER.events(user, application, JobEvent.Type.TASK_ALLOCATED).stream()
            .filter(event -> event.task().toString().equals(task))
            .findFirst()
            .orElseThrow();
    return OwnCluster.stdout(allocated);
  }

  @Test
  public void shouldTrainInTheImageOfEachRole() throws Exception {
    assertFalse(new File("/etc/image-name").exists());
    String checkpoint =
        "\"$JAVA_HOME/bin/java\" -XX:-UsePerfData org.apache.hadoop.fs.FsShell -mkdir -p"
            + " $TONY_CHECKPOINT_DIR/$JOB_NAME-$TASK_INDEX";
    try (TonyCommand job =
        submit(
            PLAIN,
            "python3 train.py && " + checkpoint,
            "tony.worker.instances=2",
            "tony.collector.instances=1",
            "tony.collector.memory=128m",
            "tony.docker.collector.image=" + OTHER)) {
      job.assertExit(0);
      String application = job.application();
      String worker = stdout(application, "worker:1");
      assertTrue(worker, worker.contains("image " + PLAIN + " slope 3.0"));
      String collector = stdout(application, "collector:0");
      assertTrue(collector, collector.contains("image " + OTHER + " heard 3.0 3.0"));
      assertEquals(user, CLUSTER.daemons().application(application).user());
    }
  }

  @Test
  public void shouldLeaveNoContainerOfAGangThatStartsAgainAndFails() throws Exception {
    try (TonyCommand job =
        submit(
            PLAIN,
            "case $TONY_ATTEMPT in 0) exit 1;; 1) echo waits; sleep 4581;; esac;"
                + " echo the reason >&2; exit 3",
            "tony.worker.instances=1",
            "tony.am.retry-count=1")) {
      job.await("1/1 tasks running", 2);
      String application = job.application();
      OwnCluster.executor(application).destroyForcibly();
      job.assertExit(1);
      assertEquals(
          List.of("USER", "LOST"),
          CLUSTER.events(user, application, JobEvent.Type.GANG_RESTARTED).stream()
              .map(event -> event.detail("kind"))
              .toList());
      assertTrue(job.text(), job.text().contains("\n    the reason\n"));
      assertTrue(job.text(), job.text().contains("worker:0 exited with code 3, log http://"));
    }
  }

  @Test
  public void shouldLeaveNoContainerOfAJobThatIsKilled() throws Exception {
    try (TonyCommand job = submit(PLAIN, "sleep 4582 & sleep 4583", "tony.worker.instances=2")) {
      job.await("2/2 tasks running");
      assertEquals(2, DAEMON.containers().size());
      job.terminate();
      assertEquals(job.text(), 143, job.exitCode());
    }
  }

  /** Asserts that the job ends as one that is wrong, and that its user is told in one line why. */
  private static void assertRefused(int code, TonyCommand job, String... parts) throws Exception {
    job.assertExit(code);
    List<String> lines = job.lines();
    String last = lines.get(lines.size() - 1);
    for (String part : parts) {
      assertTrue(part + " is missing in: " + last, last.contains(part));
    }
    assertFalse(job.text(), job.text().contains("Exception"));
    assertFalse(job.text(), job.text().contains("main :"));
  }

  /** The daemon has no network: a registry that does not answer may answer later. */
  @Test
  public void shouldSayWhichImageIsNotThere() throws Exception {
    try (TonyCommand job = submit("tony-test/none:7", "true", "tony.worker.instances=1")) {
      assertRefused(3, job, "tony-test/none:7", "tony.docker.worker.image");
    }
  }

  @Test
  public void shouldSayWhichImageTheClusterDoesNotTrust() throws Exception {
    try (TonyCommand job = submit(STRANGER, "true", "tony.worker.instances=1")) {
      assertRefused(2, job, STRANGER, "docker.trusted.registries", "tony.docker.worker.image");
    }
  }

  @Test
  public void shouldSayWhichMountTheClusterDoesNotAllow() throws Exception {
    try (TonyCommand job =
        submit(
            PLAIN,
            "true",
            "tony.worker.instances=1",
            "tony.docker.containers.mount=/var/lib:/data:ro")) {
      assertRefused(2, job, "/var/lib", "docker.allowed.ro-mounts", "tony.docker.containers.mount");
    }
  }
}
