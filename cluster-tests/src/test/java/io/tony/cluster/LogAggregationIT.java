package io.tony.cluster;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A cluster as many are, which aggregates logs: a node keeps none when the application has ended.
 * It also encrypts what its daemons and jobs say to each other.
 */
public class LogAggregationIT {
  private static final String LOGS = "/logs";

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-logs",
          TestCluster.settings(
              "yarn.log-aggregation-enable=true",
              "yarn.nodemanager.remote-app-log-dir=" + LOGS,
              "hadoop.rpc.protection=privacy"));

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
    JobEvent allocated = cluster.events(application, JobEvent.Type.TASK_ALLOCATED).get(0);
    awaitAggregated(application, allocated.detail("node"));
    while (onItsNode(allocated.detail("log"))) {
      Thread.sleep(100); // within the test's limit: a node deletes them in its own time
    }

    try (TonyCommand logs =
        cluster.tony(folder.getRoot().toPath(), "logs", application, "worker:0")) {
      logs.assertExit(0);
      String text = logs.text();
      assertTrue(text, text.contains("loss 0.25"));
      assertTrue(text, text.contains("the reason"));
      assertTrue(text, text.contains("LogType:executor.log"));
      assertFalse(text, text.contains("not to be had"));
    }
  }

  /** A node's file has its name when it is complete. */
  private static void awaitAggregated(String application, String node) throws Exception {
    try (FileSystem fs = FileSystem.newInstance(cluster.configuration())) {
      while (!aggregated(fs, application, node)) {
        Thread.sleep(100); // HDFS has no event for a new file
      }
    }
  }

  private static boolean aggregated(FileSystem fs, String application, String node)
      throws IOException {
    RemoteIterator<LocatedFileStatus> all = fs.listFiles(new Path(LOGS), true);
    while (all.hasNext()) {
      Path file = all.next().getPath();
      String name = file.getName();
      if (file.getParent().getName().equals(application)
          && name.startsWith(node + "_")
          && !name.endsWith(".tmp")) {
        return true;
      }
    }
    return false;
  }

  /** Whether the text of the program's output is on the page that its link leads to. */
  private static boolean onItsNode(String link) throws IOException {
    HttpURLConnection page =
        (HttpURLConnection) URI.create(link + "/stdout").toURL().openConnection();
    try {
      return page.getResponseCode() == 200
          && new String(page.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .contains("loss 0.25");
    } finally {
      page.disconnect();
    }
  }
}
