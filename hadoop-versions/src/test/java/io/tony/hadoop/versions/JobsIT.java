package io.tony.hadoop.versions;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import io.tony.mini.MiniClusterProcess.Application;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The life of a job with the cluster, the client, the ApplicationMaster and the executors on the
 * Hadoop under test: what it succeeds with, what it fails with, and how it is ended. What a job
 * does beyond that is tested in tony-core, on the Hadoop it was compiled for.
 */
public class JobsIT {

  private static final Duration IDLE_WITHIN = Duration.ofMinutes(1);
  private static final int TEST_LIMIT_MS = 300_000;
  private static final int SIGTERM_EXIT = 128 + 15;

  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private TonyCommand tony;

  @BeforeClass
  public static void startCluster() throws IOException, InterruptedException {
    cluster =
        MiniClusterProcess.start(
            HadoopJars.of(MiniClusterProcess.class),
            HadoopJars.folder(),
            Path.of("target", "cluster"),
            "--hadoop-classpath",
            HadoopJars.classPath(),
            "--node-heartbeat-ms",
            "200");
  }

  @AfterClass
  public static void stopCluster() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Before
  public void clusterIsIdle() throws IOException, InterruptedException {
    assertEquals(List.of(), cluster.awaitIdle(IDLE_WITHIN));
  }

  @After
  public void nothingIsLeft() throws IOException, InterruptedException {
    if (tony != null) {
      tony.close();
    }
    assertEquals(List.of(), cluster.awaitIdle(IDLE_WITHIN));
  }

  @Test(timeout = TEST_LIMIT_MS)
  public void shouldBeTheHadoopUnderTest() throws IOException {
    URI info = URI.create(cluster.ready("resourcemanager.http") + "/ws/v1/cluster/info");
    try (InputStream answer = info.toURL().openStream()) {
      String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(text, text.contains("\"hadoopVersion\":\"" + HadoopJars.VERSION + "\""));
    }
    String ofContainers = cluster.ready("classpath");
    assertTrue(
        ofContainers, ofContainers.contains("/hadoop-yarn-client-" + HadoopJars.VERSION + ".jar"));
  }

  @Test(timeout = TEST_LIMIT_MS)
  public void shouldRunTheProgramInEveryWorker() throws Exception {
    Path source = folder.newFolder("src", "data").toPath();
    Files.writeString(source.resolve("greeting"), "hello from");
    submit("-src_dir", "src", "-executes", "echo $(cat data/greeting) $JOB_NAME $TASK_INDEX");

    assertExit(0);

    assertTrue(tony.text(), tony.text().contains("SUCCEEDED after "));
    assertEquals(List.of("hello from worker 0\n", "hello from worker 1\n"), logs("stdout"));
    Application application = cluster.application(tony.application());
    assertEquals("FINISHED", application.state());
    assertEquals("SUCCEEDED", application.finalStatus());
  }

  @Test(timeout = TEST_LIMIT_MS)
  public void shouldFailWithTheProgram() throws Exception {
    submit(
        "-executes", "if [ $TASK_INDEX = 1 ]; then echo no such data >&2; exit 3; fi; sleep 5151");

    assertExit(1);

    assertTrue(tony.text(), tony.text().contains("worker:1 exited with code 3"));
    assertTrue(tony.text(), tony.text().contains("    no such data\n"));
    assertEquals("FAILED", cluster.application(tony.application()).finalStatus());
  }

  @Test(timeout = TEST_LIMIT_MS)
  public void shouldEndTheApplicationOnSigterm() throws Exception {
    submit("-executes", "sleep 5151 & sleep 5151");
    tony.await("2/2 tasks running");

    tony.terminate();

    assertExit(SIGTERM_EXIT);
    // At once, not after a while: a container's process is gone when the command has returned.
    assertEquals(List.of(), cluster.leftovers());
    assertEquals("KILLED", cluster.application(tony.application()).state());
  }

  /** YARN learns of it, and of its page, by a call that no other job makes. */
  @Test(timeout = TEST_LIMIT_MS)
  public void shouldLeadYarnsLinkToTensorBoard() throws Exception {
    submit(
        "-executes",
        "echo board > index.html; exec python3 -m http.server ${TB_PORT:-0}",
        "-conf",
        "tony.application.tracking-url=tensorboard");
    tony.await("TensorBoard: http://");

    String url = shown("TensorBoard: ");
    String link = shown("submitted to queue ");
    while (!get(link).contains("; url=" + url + "\"")) {
      Thread.sleep(50); // within the test's limit: nobody tells when YARN has taken it
    }

    tony.terminate();
    assertExit(SIGTERM_EXIT);
  }

  /** The URL in the client's line with this text. */
  private String shown(String text) {
    Matcher line = Pattern.compile(text + ".*?(http://\\S+)").matcher(tony.text());
    assertTrue(tony.text(), line.find());
    return line.group(1);
  }

  private static String get(String url) throws IOException {
    try (InputStream answer = URI.create(url).toURL().openStream()) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void submit(String... arguments) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "submit",
                "-conf",
                "tony.am.memory=256m",
                "-conf",
                "tony.worker.memory=128m",
                "-conf",
                "tony.worker.instances=2"));
    all.addAll(List.of(arguments));
    tony = TonyCommand.start(cluster, folder.getRoot().toPath(), all);
  }

  private void assertExit(int expected) throws IOException, InterruptedException {
    int code = tony.exitCode();
    assertEquals(tony.text(), expected, code);
  }

  /** The texts of one log file of all containers that have it, sorted. */
  private List<String> logs(String file) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path container : cluster.containerLogs(tony.application())) {
      Path log = container.resolve(file);
      if (Files.exists(log)) {
        texts.add(Files.readString(log));
      }
    }
    Collections.sort(texts);
    return texts;
  }
}
