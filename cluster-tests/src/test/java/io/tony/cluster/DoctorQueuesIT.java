package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code tony doctor} where queues are closed, and on every node of a cluster that allows it. */
public class DoctorQueuesIT {
  private static final String ROOT = "yarn.scheduler.capacity.root";

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-doctor",
          TestCluster.settings(
              "yarn.acl.enable=true",
              "yarn.admin.acl=nobody",
              "yarn.resourcemanager.placement-constraints.handler=scheduler",
              ROOT + ".queues=default,closed,stopped",
              ROOT + ".acl_submit_applications=nobody",
              ROOT + ".acl_administer_queue=nobody",
              ROOT + ".default.capacity=80",
              ROOT + ".default.acl_submit_applications=*",
              ROOT + ".closed.capacity=10",
              ROOT + ".closed.acl_submit_applications=nobody",
              ROOT + ".stopped.capacity=10",
              ROOT + ".stopped.state=STOPPED",
              ROOT + ".stopped.acl_submit_applications=*"));

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private TonyCommand doctor(String... arguments) throws Exception {
    return cluster.small(folder.getRoot().toPath(), "doctor", arguments);
  }

  private void assertRefused(String queue, String line) throws Exception {
    try (TonyCommand doctor = doctor("-queue", queue)) {
      doctor.assertExit(3);
      assertTrue(doctor.text(), Pattern.compile(line).matcher(doctor.text()).find());
    }
  }

  @Test
  public void shouldSayWhichQueueTakesNoJobs() throws Exception {
    int before = cluster.applications();

    assertRefused("closed", "failed +queue +\\w+ may not submit to queue closed;");
    assertRefused("stopped", "failed +queue +queue stopped is stopped");

    assertEquals(before, cluster.applications());
  }

  @Test
  public void shouldVisitEveryNode() throws Exception {
    try (TonyCommand doctor = doctor("-nodes", "all")) {
      doctor.assertExit(0);
      assertTrue(doctor.text(), doctor.text().contains(doctor.application() + " ran 2 tasks"));
      assertEquals(
          Set.of("127.1.0.1", "127.1.0.2"),
          Set.copyOf(cluster.nodes(doctor.application(), "worker")));
    }
  }
}
