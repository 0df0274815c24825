package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the command line tells of jobs, running and ended, on a cluster that aggregates logs. */
public class HistoryIT {
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-history",
          TestCluster.settings(
              "yarn.log-aggregation-enable=true", "yarn.nodemanager.remote-app-log-dir=/logs"));

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private TonyCommand submit(String name, String program) throws Exception {
    return cluster.submit(
        folder.getRoot().toPath(),
        "-executes",
        program,
        "-conf",
        "tony.application.name=" + name,
        "-conf",
        "tony.worker.instances=1");
  }

  private TonyCommand tony(String... arguments) throws Exception {
    return cluster.tony(folder.getRoot().toPath(), arguments);
  }

  /** Returns the output without the lines that report a slow cluster. */
  private String told(String... arguments) throws Exception {
    try (TonyCommand tony = tony(arguments)) {
      tony.assertExit(0);
      return tony.text()
          .lines()
          .filter(line -> !line.startsWith("waiting for "))
          .collect(Collectors.joining("\n"));
    }
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(part + " in:\n" + text, text.contains(part));
    }
  }

  @Test
  public void shouldTellOfJobsThatRunAndOfThoseThatHaveEnded() throws Exception {
    Path stop = folder.getRoot().toPath().resolve("stop");
    String first;
    try (TonyCommand job = submit("first", "echo loss=0.5 > $TONY_OUTPUT_FILE; echo short")) {
      job.assertExit(0);
      first = job.application();
    }
    String second;
    try (TonyCommand job =
        submit(
            "second",
            "echo loss=0.25 > $TONY_OUTPUT_FILE; echo begins;"
                + " while [ ! -e "
                + stop
                + " ]; do sleep 0.1; done; echo the last words")) {
      job.await("1/1 tasks running");
      second = job.application();
      try (TonyCommand logs = tony("logs", second, "worker:0", "-follow");
          TonyCommand events = tony("events", second, "-follow")) {
        logs.await("stdout: begins");
        events.await("TASK_STARTED");
        assertContains(
            told("status", second, "-json"),
            "\"status\":\"RUNNING\"",
            "\"yarnState\":\"RUNNING\"",
            "{\"task\":\"worker:0\",\"state\":\"started\"");
        assertContains(told("list", "-status", "running"), second, "second");
        Files.createFile(stop);
        logs.await("stdout: the last words");
        logs.assertExit(0);
        events.await("JOB_FINISHED");
        events.assertExit(0);
      }
      job.assertExit(0);
    }

    String status = told("status", second, "-json");
    assertContains(status, "\"status\":\"SUCCEEDED\"", "\"outputs\":{\"loss\":0.25}");
    List<String> list = told("list").lines().toList();
    assertContains(list.get(1), second, "SUCCEEDED", "second");
    assertContains(list.get(2), first, "SUCCEEDED", "first");
    assertContains(told("list", "-text", "FIRST", "-json"), "\"total\":1", first);
    String events = told("events", first);
    assertContains(events.lines().findFirst().orElseThrow(), "AM_STARTED");
    assertContains(
        events, "JOB_DESCRIBED", "\"option.tony.worker.instances\":\"1\"", "JOB_FINISHED");
    assertContains(told("compare", first, second), "output.loss", "0.25", "0.5");

    cluster.awaitNoLogsOnNodes(second);
    assertContains(told("logs", second, "worker:0"), "the last words");
    String followed = told("logs", second, "worker:0", "-follow");
    assertContains(followed, "stdout: begins", "stdout: the last words");
    assertFalse(followed, followed.contains("LogContents"));
  }

  @Test
  public void shouldNameTheCommandThatShowsALogWhereItsLinkLeadsNowhere() throws Exception {
    try (TonyCommand job = submit("third", "exit 3")) {
      job.assertExit(1);
      String last = job.lines().get(job.lines().size() - 1);
      assertContains(last, ", log tony logs " + job.application() + " worker:0");
      assertEquals(
          List.of("worker:0  tony logs " + job.application() + " worker:0"),
          told("logs", job.application()).lines().toList());
    }
  }
}
