package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.Chromium;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A cluster as many are, which aggregates logs: a node keeps none when the application has ended.
 * It also encrypts what its daemons and jobs say to each other.
 */
public class LogAggregationIT {
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-logs",
          TestCluster.settings(
              "yarn.log-aggregation-enable=true",
              "yarn.nodemanager.remote-app-log-dir=/logs",
              "hadoop.rpc.protection=privacy"));

  @ClassRule public static final Chromium browser = new Chromium();

  private static final Pattern ADDRESS = Pattern.compile("is served at (http://\\S+/)");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  @Test
  public void shouldShowTheLogsThatTheNodesHaveHandedIn() throws Exception {
    String application;
    try (TonyCommand tony =
        cluster.submit(
            folder.getRoot().toPath(),
            "-executes",
            "echo loss 0.25; echo the reason >&2; exit 3",
            "-conf",
            "tony.worker.instances=1")) {
      tony.assertExit(1);
      application = tony.application();
    }
    cluster.awaitNoLogsOnNodes(application);

    try (TonyCommand logs =
        cluster.tony(folder.getRoot().toPath(), "logs", application, "worker:0")) {
      logs.assertExit(0);
      String text = logs.text();
      assertTrue(text, text.contains("loss 0.25"));
      assertTrue(text, text.contains("the reason"));
      assertTrue(text, text.contains("LogType:executor.log"));
      assertFalse(text, text.contains("not to be had"));
    }
    showInTheHistory(application);
  }

  /** On the job's page, which no link to a node helps any more. */
  private void showInTheHistory(String application) throws Exception {
    try (TonyCommand service =
        cluster.tony(
            folder.getRoot().toPath(), "history", "-listen", "localhost:0", "-refresh", "1s")) {
      Matcher line = ADDRESS.matcher(service.await("is served at"));
      assertTrue(line.find());
      do {
        browser.open(line.group(1));
        browser.await("document.body.ariaBusy === 'false'");
      } while (browser.evaluate("document.querySelector('#jobs a') === null").asBoolean());
      browser.click("a[href^='jobs/" + application + "@']");
      browser.await("document.getElementById('state')?.textContent === 'FAILED'");
      browser.await("document.body.ariaBusy === 'false'");
      assertFalse("it would lead nowhere", browser.isShown("#failure-log"));

      browser.click("#task-rows button");
      browser.await("document.getElementById('written-text').textContent === 'loss 0.25\\n'");
      assertEquals("", browser.text("#written-state"));
      browser.click("#written-files [data-file='stderr']");
      browser.await("document.getElementById('written-text').textContent === 'the reason\\n'");
      assertEquals(List.of(), browser.complaints());
    }
  }
}
