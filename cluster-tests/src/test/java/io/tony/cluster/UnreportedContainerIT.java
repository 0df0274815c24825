package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The ApplicationMaster is killed while YARN does not know yet that a container of it runs, because
 * the container's node has not reported since it was allocated. YARN keeps the containers that run,
 * and takes this one.
 */
public class UnreportedContainerIT {
  private static final String RUNNING = "2/2 tasks running";
  private static final int FIRST_NODE = 20;
  private static final int ATTEMPTS = 4;

  /**
   * Its node holds the ApplicationMaster and one worker. Nodes report so seldom that the other
   * worker registers before its node reports it.
   */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-unreported",
          "--node-managers",
          "1",
          "--node-memory-mb",
          "1408",
          "--node-heartbeat-ms",
          "8000");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  /**
   * On a busy machine a worker may take so long to register that its node has reported it before it
   * is paused. That is another story, of which this test has nothing to say: it is told anew.
   */
  @Test
  public void shouldChargeNobodyForAContainerThatYarnTookWithTheMaster() throws Exception {
    for (int node = FIRST_NODE; node < FIRST_NODE + ATTEMPTS; node++) {
      if (isTakenWithTheMaster(node)) {
        return;
      }
    }
    throw new AssertionError("the node reported its container too early, each time");
  }

  /** False where YARN knew of the container, and so did not take it. */
  private boolean isTakenWithTheMaster(int node) throws Exception {
    Path go = folder.getRoot().toPath().resolve("go-" + node);
    try (TonyCommand tony =
        cluster.submit(
            folder.getRoot().toPath(),
            "-events",
            "-executes",
            "until [ -e '" + go + "' ]; do sleep 0.1; done",
            "-conf",
            "tony.worker.instances=2",
            "-conf",
            "tony.worker.memory=1g",
            "-conf",
            "tony.gang.max-lost-restarts=0")) {
      tony.await("asking for");
      try (OwnNode other = cluster.addNode(node, 1024)) {
        tony.await("\"TASK_REGISTERED\"", 2);
        other.pause(); // until then it has not reported, and from then on it does not
        tony.await(RUNNING);
        String application = tony.application();
        OwnCluster.master(application).destroyForcibly();
        String takeover = tony.await("attempt 2");
        other.resume();
        if (takeover.contains("took over 2 running task")) {
          Files.createFile(go);
          tony.assertExit(0);
          return false;
        }
        assertTrue(takeover, takeover.contains("took over 1 running task"));
        tony.await(RUNNING, 2);
        Files.createFile(go);
        tony.assertExit(0);
        assertTaken(application, on(other.host(), application));
        return true;
      }
    }
  }

  private static void assertTaken(String application, JobEvent taken) throws Exception {
    assertEquals(
        "YARN has taken it, or this test tests nothing",
        1,
        cluster.log().stream()
            .filter(line -> line.contains(taken.detail("container")))
            .filter(line -> line.contains("Container Transitioned from ACQUIRED to KILLED"))
            .count());
    assertEquals(List.of(), cluster.events(application, JobEvent.Type.NODE_AVOIDED));
    List<JobEvent> failed = cluster.events(application, JobEvent.Type.TASK_FAILED);
    assertEquals(failed.toString(), 1, failed.size());
    assertEquals(taken.task(), failed.get(0).task());
    Map<String, String> told = failed.get(0).details();
    assertEquals("AM_LOST", told.get("kind"));
    assertTrue(
        told.toString(),
        told.get("message")
            .contains("the ApplicationMaster was lost, and YARN ended the container with it"));
  }

  private static JobEvent on(String node, String application) throws Exception {
    return cluster.events(application, JobEvent.Type.TASK_ALLOCATED).stream()
        .filter(event -> event.detail("node").equals(node))
        .findFirst()
        .orElseThrow();
  }
}
