package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A queue takes back what another has borrowed of it. */
public class PreemptionIT {
  private static final String ROOT = "yarn.scheduler.capacity.root";
  private static final String PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption";

  /** Several heartbeats of the ApplicationMaster (1 s), with which it hears of a preemption. */
  private static final Duration ANNOUNCED_BEFORE = Duration.ofSeconds(5);

  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster("mini-preemption", settings(ANNOUNCED_BEFORE));

  /**
   * Each queue owns one of the two nodes and may borrow the other.
   *
   * @param wait between the announcement of a preemption and the end of the container
   */
  static String[] settings(Duration wait) {
    return TestCluster.settings(
        "yarn.resourcemanager.scheduler.monitor.enable=true",
        PREEMPTION + ".monitoring_interval=500",
        PREEMPTION + ".max_wait_before_kill=" + wait.toMillis(),
        // YARN's defaults take less at once than one of these containers has.
        PREEMPTION + ".total_preemption_per_round=1",
        PREEMPTION + ".natural_termination_factor=1",
        // Memory alone counts, as by YARN's default.
        "yarn.scheduler.capacity.resource-calculator"
            + "=org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator",
        ROOT + ".queues=default,urgent",
        ROOT + ".default.capacity=50",
        ROOT + ".default.user-limit-factor=2",
        ROOT + ".urgent.capacity=50");
  }

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  private TonyCommand submit(String... arguments) throws Exception {
    return cluster.submit(folder.getRoot().toPath(), arguments);
  }

  /** Two workers that take a node each; nothing but preemptions may be tried again. */
  private TonyCommand borrower(Path until) throws Exception {
    return submit(
        "-executes", "until [ -e '" + until + "' ]; do sleep 0.1; done",
        "-conf", "tony.worker.instances=2",
        "-conf", "tony.worker.memory=3g",
        "-conf", "tony.gang.max-restarts=0",
        "-conf", "tony.gang.max-lost-restarts=0",
        "-conf", "tony.gang.max-preempted-restarts=1");
  }

  @Test
  public void shouldStartTheGangAgainWhenAContainerIsPreempted() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand borrower = borrower(go)) {
      borrower.await("2/2 tasks running");
      try (TonyCommand owner =
          submit(
              "-executes", "true",
              "-conf", "tony.yarn.queue=urgent",
              "-conf", "tony.worker.instances=1",
              "-conf", "tony.worker.memory=3g")) {
        owner.assertExit(0);
        assertEquals(1, cluster.events(owner.application(), JobEvent.Type.TASK_SUCCEEDED).size());
      }
      borrower.await("2/2 tasks running", 2);
      Files.createFile(go);
      borrower.assertExit(0);

      assertPreemptedOnce(borrower.application());
    }
  }

  private static void assertPreemptedOnce(String application) throws Exception {
    List<JobEvent> restarts = cluster.events(application, JobEvent.Type.GANG_RESTARTED);
    assertEquals(restarts.toString(), 1, restarts.size());
    JobEvent restart = restarts.get(0);
    assertEquals("PREEMPTED", restart.detail("kind"));
    assertEquals("0", restart.detail("left"));
    assertEquals("1", restart.detail("kept"));
    assertTrue(
        restart.toString(), restart.detail("message").contains("YARN preempted the container"));
    List<JobEvent> allocations = cluster.events(application, JobEvent.Type.TASK_ALLOCATED);
    assertEquals(allocations.toString(), 3, allocations.size());
    assertEquals(restart.task(), allocations.get(2).task());
    assertEquals(List.of(), cluster.events(application, JobEvent.Type.NODE_AVOIDED));
    assertEquals(2, cluster.events(application, JobEvent.Type.TASK_SUCCEEDED).size());
    List<JobEvent> announced =
        cluster.events(application, JobEvent.Type.PREEMPTION_ANNOUNCED).stream().toList();
    assertEquals(announced.toString(), 1, announced.size());
    assertEquals("YARN says before what it takes", restart.task(), announced.get(0).task());
  }
}
