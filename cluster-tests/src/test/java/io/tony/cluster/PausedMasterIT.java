package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * An ApplicationMaster and its NodeManager are paused, as when their machine stands still; YARN
 * gives the node up, or the job is killed, and the ApplicationMaster goes on. Nobody else may end
 * it: its NodeManager stays paused until it has ended itself.
 */
public class PausedMasterIT {
  /** Its own node holds nothing: those that are added do. */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-paused-master",
          "--node-managers",
          "1",
          "--node-memory-mb",
          "128",
          "--max-container-mb",
          "1024",
          "--set",
          "yarn.nm.liveness-monitor.expiry-interval-ms=10000");

  /** Room for the ApplicationMaster, and then for no worker. */
  private static final int NODE_OF_THE_MASTER_MIB = 1024;

  /** Room for two workers, and for the next ApplicationMaster. */
  private static final int NODE_OF_THE_WORKERS_MIB = 2304;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  /** Two workers that run until the file is there. */
  private TonyCommand waitsFor(Path go, OwnNode node) throws Exception {
    cluster.awaitRegistered(node, 1); // else it would be refused
    return cluster.submit(
        folder.getRoot().toPath(),
        "-executes",
        "until [ -e '" + go + "' ]; do sleep 0.1; done",
        "-conf",
        "tony.worker.instances=2",
        "-conf",
        "tony.worker.memory=1g",
        "-conf",
        "tony.am.max-attempts=2");
  }

  private static void signal(ProcessHandle process, String name) throws Exception {
    String[] command = {"kill", "-" + name, Long.toString(process.pid())};
    assertEquals(0, new ProcessBuilder(command).start().waitFor());
  }

  private static void assertEndsItself(ProcessHandle master) throws Exception {
    signal(master, "CONT");
    master.onExit().get(1, TimeUnit.MINUTES);
  }

  @Test
  public void shouldEndWithoutTouchingTheJobThatTheNextOneHas() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (OwnNode itsNode = cluster.addNode(13, NODE_OF_THE_MASTER_MIB);
        TonyCommand tony = waitsFor(go, itsNode)) {
      tony.await("asking for");
      try (OwnNode ofTheWorkers = cluster.addNode(14, NODE_OF_THE_WORKERS_MIB)) {
        tony.await("2/2 tasks running");
        String application = tony.application();
        assertEquals(
            List.of(ofTheWorkers.host(), ofTheWorkers.host()),
            cluster.nodes(application, "worker"));
        ProcessHandle first = OwnCluster.master(application);

        itsNode.pause();
        signal(first, "STOP");
        tony.awaitTakeover(2);
        assertTrue("it is only paused", first.isAlive());
        assertEndsItself(first);
        itsNode.resume();
        List<JobEvent> before = cluster.events(application);
        Files.createFile(go);
        tony.assertExit(0);

        List<JobEvent> all = cluster.events(application);
        assertEquals("nothing was taken back", before, all.subList(0, before.size()));
        assertEquals(2, of(JobEvent.Type.AM_STARTED, all).size());
        assertEquals(List.of(), of(JobEvent.Type.TASK_FAILED, all));
        assertEquals(List.of(), of(JobEvent.Type.GANG_RESTARTED, all));
        assertEquals("each program was started once", 2, programs(all));
        assertEquals(2, of(JobEvent.Type.TASK_SUCCEEDED, all).size());
        assertEquals(1, of(JobEvent.Type.JOB_FINISHED, all).size());
      }
    }
  }

  @Test
  public void shouldEndWithoutTouchingTheJobThatWasKilledMeanwhile() throws Exception {
    Path go = folder.getRoot().toPath().resolve("go");
    try (OwnNode itsNode = cluster.addNode(15, NODE_OF_THE_MASTER_MIB);
        TonyCommand tony = waitsFor(go, itsNode);
        YarnClient yarn = cluster.yarn()) {
      tony.await("asking for");
      try (OwnNode ofTheWorkers = cluster.addNode(16, NODE_OF_THE_WORKERS_MIB)) {
        tony.await("2/2 tasks running");
        String application = tony.application();
        ProcessHandle master = OwnCluster.master(application);

        itsNode.pause();
        signal(master, "STOP");
        ApplicationId id = ApplicationId.fromString(application);
        yarn.killApplication(id);
        assertEquals(
            YarnApplicationState.KILLED, yarn.getApplicationReport(id).getYarnApplicationState());
        List<JobEvent> before = cluster.events(application);
        assertTrue("it is only paused", master.isAlive());
        assertEndsItself(master);
        itsNode.resume();
        tony.assertExit(4);

        assertEquals("it has written nothing", before, cluster.events(application));
        assertEquals(
            List.of(ofTheWorkers.host(), ofTheWorkers.host()),
            cluster.nodes(application, "worker"));
      }
    }
  }

  /** The next ApplicationMaster is told again of programs that run. */
  private static long programs(List<JobEvent> events) {
    return of(JobEvent.Type.TASK_STARTED, events).stream()
        .map(started -> started.task() + " " + started.detail("pid"))
        .distinct()
        .count();
  }

  private static List<JobEvent> of(JobEvent.Type type, List<JobEvent> events) {
    return events.stream().filter(event -> event.type() == type).toList();
  }
}
