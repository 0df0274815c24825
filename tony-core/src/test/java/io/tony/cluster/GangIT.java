package io.tony.cluster;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Two gangs that together need more than the cluster has. */
public class GangIT {

  /**
   * Beside two ApplicationMasters it holds six containers of these gangs, to the last MiB. They
   * come one a second, to the application that has less, so that both gangs get a part.
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

  @After
  public void nothingIsLeft() throws Exception {
    cluster.assertIdle();
  }

  /**
   * It holds its part longer than a loaded machine needs for the next container.
   *
   * <p>Four containers of 448 MiB and the ApplicationMaster's 256 are 64 % of the cluster.
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
        "tony.application.gang-hold-timeout=6s",
        "-conf",
        "tony.application.gang-back-off=2s");
  }

  @Test
  public void shouldBothSucceedThoughEachHoldsWhatTheOtherWaitsFor() throws Exception {
    try (TonyCommand one = gang("one");
        TonyCommand other = gang("other")) {
      one.assertExit(0);
      other.assertExit(0);

      List<JobEvent> backOffs = both(one, other, JobEvent.Type.GANG_BACKED_OFF);
      assertFalse(one.text() + "\n" + other.text(), backOffs.isEmpty());
      Instant running = both(one, other, JobEvent.Type.GANG_RUNNING).get(0).time();
      // Before that both wait, and each has a part of what the other waits for.
      assertTrue(
          backOffs.toString(),
          backOffs.stream()
              .filter(event -> event.time().isBefore(running))
              .filter(event -> event.detail("missing").contains("× worker (448 MiB"))
              .anyMatch(event -> event.detail("short").contains("memory")));
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
