package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * A NodeManager is killed, and what runs in its containers lives on without it. When it is started
 * again in time, nothing has happened; else YARN gives the node up after a while, and only the job
 * itself can end what it left there.
 */
public class LostNodeIT {
  private static final String FIRST_NODE = "127.1.0.1";
  private static final String RUNNING = "2/2 tasks running";

  /**
   * Its node holds the ApplicationMaster and one worker. A NodeManager that is started again on a
   * busy machine is there before YARN gives its node up.
   */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-lost-node",
          "--node-managers",
          "1",
          "--node-memory-mb",
          "1408",
          "--set",
          "yarn.nm.liveness-monitor.expiry-interval-ms=30000");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  /** Two workers that run until the file is there; each fills a node but the first. */
  private TonyCommand waitsFor(Path go) throws IOException {
    return cluster.submit(
        folder.getRoot().toPath(),
        "-executes",
        "until [ -e '" + go + "' ]; do sleep 0.1; done",
        "-conf",
        "tony.worker.instances=2",
        "-conf",
        "tony.worker.memory=1g");
  }

  @Test
  public void shouldLeaveNothingOnANodeWhoseNodeManagerIsKilled() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand tony = waitsFor(go)) {
      tony.await("asking for");
      try (OwnNode one = cluster.addNode(8, 1024);
          OwnNode other = cluster.addNode(9, 1024)) {
        tony.await(RUNNING);
        String application = tony.application();
        JobEvent lost = onAnotherNode(application);
        ProcessHandle program = program(application, lost.task());

        (lost.detail("node").equals(one.host()) ? one : other).kill();
        assertTrue(program.isAlive());
        tony.await(RUNNING, 2);
        program.onExit().get(1, TimeUnit.MINUTES); // before it may end by itself
        Files.createFile(go);
        tony.assertExit(0);
        assertReplaced(application, lost);
      }
    }
  }

  /** As an upgrade of a node does it, where YARN keeps the containers of a NodeManager. */
  @Test
  public void shouldTrainOnWhenANodeManagerIsStartedAgain() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (TonyCommand tony = waitsFor(go)) {
      tony.await("asking for");
      try (OwnNode node = cluster.addNode(10, 1024)) {
        tony.await(RUNNING);
        String application = tony.application();
        JobEvent allocated = onAnotherNode(application);
        ProcessHandle program = program(application, allocated.task());

        node.kill();
        try (OwnNode again = cluster.addNode(10, 1024)) {
          cluster.awaitRegistered(again, 2);
          while (!again.runs(allocated.detail("container"))) {
            Thread.sleep(50); // within the test's limit: it tells nobody
          }
          assertTrue(program.isAlive());
          Files.createFile(go);
          tony.assertExit(0);
        }
        assertEquals(List.of(), cluster.events(application, JobEvent.Type.TASK_FAILED));
        assertEquals(2, cluster.events(application, JobEvent.Type.TASK_ALLOCATED).size());
        assertEquals(2, cluster.events(application, JobEvent.Type.TASK_SUCCEEDED).size());
      }
    }
  }

  private static JobEvent onAnotherNode(String application) throws Exception {
    return cluster.events(application, JobEvent.Type.TASK_ALLOCATED).stream()
        .filter(event -> !event.detail("node").equals(FIRST_NODE))
        .findFirst()
        .orElseThrow();
  }

  private static ProcessHandle program(String application, TaskId task) throws Exception {
    JobEvent started =
        cluster.events(application, JobEvent.Type.TASK_STARTED).stream()
            .filter(event -> event.task().equals(task))
            .findFirst()
            .orElseThrow();
    return ProcessHandle.of(Long.parseLong(started.detail("pid"))).orElseThrow();
  }

  private static void assertReplaced(String application, JobEvent lost) throws Exception {
    List<JobEvent> restarts = cluster.events(application, JobEvent.Type.GANG_RESTARTED);
    assertEquals(restarts.toString(), 1, restarts.size());
    assertEquals("LOST", restarts.get(0).detail("kind"));
    assertEquals("1", restarts.get(0).detail("kept"));
    assertEquals(lost.task(), restarts.get(0).task());
    List<JobEvent> allocations = cluster.events(application, JobEvent.Type.TASK_ALLOCATED);
    assertEquals(allocations.toString(), 3, allocations.size());
    assertEquals(lost.task(), allocations.get(2).task());
    assertNotEquals(lost.detail("node"), allocations.get(2).detail("node"));
    assertEquals(2, cluster.events(application, JobEvent.Type.TASK_SUCCEEDED).size());
  }
}
