package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Tasks in Docker containers, by YARN's own Docker runtime and a real Docker daemon. */
public class DockerIT {
  private static final String PLAIN = DockerCluster.REGISTRY + "/plain:1";
  private static final String OTHER = DockerCluster.REGISTRY + "/other:1";
  private static final String STRANGER = "stranger/plain:1";

  @ClassRule public static final DockerCluster CLUSTER = new DockerCluster("mini-docker");

  @ClassRule public static final TemporaryFolder made = new TemporaryFolder();

  /** The option that names an archive of Java on HDFS. */
  private static String javaArchive;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(CLUSTER);

  @BeforeClass
  public static void makeImages() throws Exception {
    CLUSTER.daemon().makeImage(PLAIN);
    CLUSTER.daemon().makeImage(OTHER);
    CLUSTER.daemon().docker("tag", PLAIN, STRANGER);
    Path archive = JavaArchive.make(made.getRoot().toPath());
    javaArchive = JavaArchive.put(CLUSTER.yarn(), archive, JavaArchive.PATH, "644");
  }

  private TonyCommand submit(String image, String program, String... more) throws IOException {
    Path source = folder.getRoot().toPath().resolve("src");
    if (Files.notExists(source)) {
      Files.createDirectory(source);
      Files.writeString(source.resolve("train.py"), TRAIN);
    }
    List<String> arguments =
        new ArrayList<>(List.of("-executes", program, "-src_dir", source.toString()));
    for (String conf : more) {
      arguments.addAll(List.of("-conf", conf));
    }
    return CLUSTER.submit(folder.getRoot().toPath(), image, arguments.toArray(String[]::new));
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
      String worker = CLUSTER.stdout(application, "worker:1");
      assertTrue(worker, worker.contains("image " + PLAIN + " slope 3.0"));
      String collector = CLUSTER.stdout(application, "collector:0");
      assertTrue(collector, collector.contains("image " + OTHER + " heard 3.0 3.0"));
      assertEquals(CLUSTER.user(), CLUSTER.yarn().daemons().application(application).user());
    }
  }

  /** The image has no Java, and the node's, which is mounted, is left to the programs. */
  @Test
  public void shouldRunOnTheJavaOfAnArchive() throws Exception {
    String program =
        "echo; cat /etc/image-name; for process in /proc/[0-9]*; do readlink $process/exe; done";
    try (TonyCommand job = submit(PLAIN, program, "tony.worker.instances=1", javaArchive)) {
      job.assertExit(0);
      String stdout = CLUSTER.stdout(job.application(), "worker:0");
      List<String> lines = stdout.lines().toList();
      assertTrue(stdout, lines.contains(PLAIN));
      List<String> javas = lines.stream().filter(line -> line.endsWith("/bin/java")).toList();
      assertEquals(stdout, 1, javas.size());
      assertTrue(stdout, javas.get(0).matches(".*/filecache/\\d+/jdk17.tar.gz/jdk17/bin/java"));
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
            "tony.gang.max-restarts=1")) {
      job.await("1/1 tasks running", 2);
      String application = job.application();
      OwnCluster.executor(application).destroyForcibly();
      job.assertExit(1);
      assertEquals(
          List.of("PROGRAM", "LOST"),
          CLUSTER.events(application, JobEvent.Type.GANG_RESTARTED).stream()
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
      assertEquals(2, CLUSTER.daemon().containers().size());
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
