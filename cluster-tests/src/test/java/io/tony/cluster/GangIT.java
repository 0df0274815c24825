package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.tony.model.JobEvent;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TonyCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Two gangs that together need more than the cluster has. */
public class GangIT {

  /**
   * Beside two ApplicationMasters it holds six containers of these gangs, to the last MiB. They
   * come one at a time, to the application that has less, so that each gang gets three of its four.
   */
  @ClassRule
  public static final OwnCluster cluster =
      new OwnCluster(
          "mini-gangs",
          "--node-managers",
          "1",
          "--node-memory-mb",
          "3200",
          "--node-vcores",
          "32",
          "--set",
          "yarn.scheduler.capacity.root.default.ordering-policy=fair",
          "--set",
          "yarn.scheduler.capacity.per-node-heartbeat.maximum-container-assignments=1");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  @Rule(order = 1)
  public final LeavesNothing leavesNothing = new LeavesNothing(cluster);

  /**
   * Four containers of 448 MiB and the ApplicationMaster's 256 are 64 % of the cluster. It holds
   * its part longer than a loaded machine needs for the next container.
   */
  private TonyCommand gang(String name) throws Exception {
    Path own = folder.newFolder(name).toPath();
    return cluster.submit(
        own,
        "-executes",
        "true",
        "-conf",
        "tony.application.name=" + name,
        "-conf",
        "tony.worker.instances=4",
        "-conf",
        "tony.worker.memory=448m",
        "-conf",
        "tony.gang.partial-allocation-timeout=6s",
        "-conf",
        "tony.gang.allocation-backoff=2s");
  }

  /** A job that has all the rest of the cluster until the file is there. */
  private TonyCommand blocker(Path until) throws Exception {
    return cluster.submit(
        folder.newFolder("blocker").toPath(),
        "-executes",
        "until [ -e '" + until + "' ]; do sleep 0.1; done",
        "-conf",
        "tony.worker.instances=1",
        "-conf",
        "tony.worker.memory=2432m");
  }

  @Test
  public void shouldBothSucceedThoughEachHoldsWhatTheOtherWaitsFor() throws Exception {
    Path bothWait = folder.getRoot().toPath().resolve("both-wait");
    try (TonyCommand blocker = blocker(bothWait)) {
      blocker.await("1/1 tasks running");
      try (TonyCommand one = gang("one");
          TonyCommand other = gang("other")) {
        one.await("asking for");
        other.await("asking for");
        Files.createFile(bothWait);
        blocker.assertExit(0);
        one.assertExit(0);
        other.assertExit(0);

        List<JobEvent> backOffs = both(one, other, JobEvent.Type.GANG_BACKED_OFF);
        assertFalse(one.text() + "\n" + other.text(), backOffs.isEmpty());
        JobEvent first = backOffs.get(0);
        assertEquals("1 × worker (448 MiB, 1 vcore)", first.detail("missing"));
        assertEquals("memory", first.detail("short"));
      }
    }
  }

  private static List<JobEvent> both(TonyCommand one, TonyCommand other, JobEvent.Type type)
      throws Exception {
    return Stream.concat(
            cluster.events(one.application(), type).stream(),
            cluster.events(other.application(), type).stream())
        .sorted(Comparator.comparing(JobEvent::time))
        .toList();
  }
}
