package io.tony.cluster;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
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
  }
}
