package io.tony.hadoop.versions;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import io.tony.mini.MiniClusterProcess.Application;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The life of a job with the cluster, the client, the ApplicationMaster and the executors on the
 * Hadoop under test: what it succeeds with, what it fails with, what it goes on after, and how it
 * is ended. What a job does beyond that is tested in cluster-tests, on the Hadoop it was compiled
 * for.
 */
public class JobsIT {

  private static final int SIGTERM_EXIT = 128 + 15;

  private static MiniClusterProcess cluster;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(() -> cluster);

  private TonyCommand tony;

  @BeforeClass
  public static void startCluster() throws IOException, InterruptedException {
    cluster =
        TestCluster.start(
            "cluster", HadoopJars.folder(), "--hadoop-classpath", HadoopJars.classPath());
  }

  @AfterClass
  public static void stopCluster() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @After
  public void stopCommand() {
    if (tony != null) {
      tony.close();
    }
  }

  @Test
  public void shouldBeTheHadoopUnderTest() throws IOException {
    URI info = URI.create(cluster.property("resourcemanager.http") + "/ws/v1/cluster/info");
    try (InputStream answer = info.toURL().openStream()) {
      String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(text, text.contains("\"hadoopVersion\":\"" + HadoopJars.VERSION + "\""));
    }
    String ofContainers = cluster.property("classpath");
    assertTrue(
        ofContainers, ofContainers.contains("/hadoop-yarn-client-" + HadoopJars.VERSION + ".jar"));
  }

  @Test
  public void shouldRunTheProgramInEveryWorker() throws Exception {
    Path source = folder.newFolder("src", "data").toPath();
    Files.writeString(source.resolve("greeting"), "hello from");
    submit("-src_dir", "src", "-executes", "echo $(cat data/greeting) $JOB_NAME $TASK_INDEX");

    tony.assertExit(0);

    assertTrue(tony.text(), tony.text().contains("SUCCEEDED after "));
    assertEquals(List.of("hello from worker 0\n", "hello from worker 1\n"), logs("stdout"));
    Application application = cluster.application(tony.application());
    assertEquals("FINISHED", application.state());
    assertEquals("SUCCEEDED", application.finalStatus());
  }

  @Test
  public void shouldFailWithTheProgram() throws Exception {
    submit(
        "-executes", "if [ $TASK_INDEX = 1 ]; then echo no such data >&2; exit 3; fi; sleep 5151");

    tony.assertExit(1);

    assertTrue(tony.text(), tony.text().contains("worker:1 exited with code 3"));
    assertTrue(tony.text(), tony.text().contains("    no such data\n"));
    assertEquals("FAILED", cluster.application(tony.application()).finalStatus());
  }

  @Test
  public void shouldStartTheGangAgainAndTrainOnUnderTheNextApplicationMaster() throws Exception {
    Path here = folder.getRoot().toPath();
    Path fail = here.resolve("fail");
    Path go = here.resolve("go");
    submit(
        "-executes",
        "until [ -e '%s' ]; do [ $TASK_INDEX$TONY_ATTEMPT = 10 -a -e '%s' ] && exit 3; sleep 0.1; done"
            .formatted(go, fail),
        "-conf",
        "tony.gang.max-restarts=1");
    tony.await("2/2 tasks running");
    Files.createFile(fail);
    tony.await("2/2 tasks running", 2);
    cluster.awaitReported(tony.application(), 3);

    cluster.kill("container_\\S+_01_000001", "\\S*/java .*");
    tony.awaitTakeover(2);
    Files.createFile(go);

    tony.assertExit(0);
    assertTrue(tony.text(), tony.text().contains("worker:1 exited with code 3"));
    Application application = cluster.application(tony.application());
    assertEquals("SUCCEEDED", application.finalStatus());
  }

  @Test
  public void shouldEndTheApplicationOnSigterm() throws Exception {
    submit("-executes", "sleep 5151 & sleep 5151");
    tony.await("2/2 tasks running");

    tony.terminate();

    tony.assertExit(SIGTERM_EXIT);
    // At once, not after a while: a container's process is gone when the command has returned.
    assertEquals(List.of(), LeavesNothing.leftovers(cluster));
    assertEquals("KILLED", cluster.application(tony.application()).state());
  }

  /** YARN learns of it, and of its page, by a call that no other job makes. */
  @Test
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
      Thread.sleep(50); // nobody tells when YARN has taken it
    }

    tony.terminate();
    tony.assertExit(SIGTERM_EXIT);
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
    List<String> all = new ArrayList<>(List.of("-conf", "tony.worker.instances=2"));
    all.addAll(List.of(arguments));
    tony =
        TonyCommand.start(
            cluster,
            folder.getRoot().toPath(),
            TonyCommand.small("submit", all.toArray(String[]::new)));
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
