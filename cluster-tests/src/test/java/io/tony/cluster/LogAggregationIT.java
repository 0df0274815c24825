package io.tony.cluster;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
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
import org.junit.rules.Timeout;

/** A cluster that aggregates logs, as most do: a node keeps none when the application has ended. */
public class LogAggregationIT {
  private static final String LOGS = "/logs";

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-logs",
          OwnCluster.settings(
              "yarn.log-aggregation-enable=true", "yarn.nodemanager.remote-app-log-dir=" + LOGS));

  @Rule public final Timeout limit = Timeout.seconds(300);
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
    awaitAggregated(application);
    JobEvent allocated = cluster.events(application, JobEvent.Type.TASK_ALLOCATED).get(0);
    assertFalse("the node has it no more", onItsNode(allocated.detail("log")));

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
  private static void awaitAggregated(String application) throws Exception {
    try (FileSystem fs = FileSystem.newInstance(cluster.configuration())) {
      while (!aggregated(fs, application)) {
        Thread.sleep(100); // HDFS has no event for a new file
      }
    }
  }

  private static boolean aggregated(FileSystem fs, String application) throws IOException {
    int files = 0;
    RemoteIterator<LocatedFileStatus> all = fs.listFiles(new Path(LOGS), true);
    while (all.hasNext()) {
      Path file = all.next().getPath();
      if (file.getParent().getName().equals(application)) {
        if (file.getName().endsWith(".tmp")) {
          return false;
        }
        files++;
      }
    }
    return files > 0;
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
