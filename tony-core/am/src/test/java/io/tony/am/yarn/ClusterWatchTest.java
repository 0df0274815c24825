package io.tony.am.yarn;

import static org.junit.Assert.assertEquals;

import io.tony.am.machine.Event.ClusterChanged;
import io.tony.model.ResourceSpec;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.records.Resource;
import org.junit.Test;

public class ClusterWatchTest {
  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  private final ClusterWatch watch = new ClusterWatch(8192);

  private Optional<ClusterChanged> see(int mebibytes, int nodes, long millis) {
    return see(mebibytes, nodes, true, millis);
  }

  private Optional<ClusterChanged> see(int mebibytes, int nodes, boolean waits, long millis) {
    AllocateResponse response =
        AllocateResponse.newBuilder()
            .availableResources(Resource.newInstance(mebibytes, 1))
            .numClusterNodes(nodes)
            .build();
    return watch.update(response, waits, START.plusMillis(millis));
  }

  private static Optional<ClusterChanged> changed(int mebibytes, int nodes, long millis) {
    return Optional.of(
        new ClusterChanged(START.plusMillis(millis), new ResourceSpec(mebibytes, 1), nodes, 8192));
  }

  @Test
  public void shouldTellChangesOnly() {
    assertEquals(changed(1024, 2, 0), see(1024, 2, 0));
    assertEquals(Optional.empty(), see(1024, 2, 5_000));
    assertEquals(changed(512, 2, 6_000), see(512, 2, 6_000));
    assertEquals(changed(512, 3, 7_000), see(512, 3, 7_000));
  }

  @Test
  public void shouldTellNoMoreThanOneASecondAndTheLastOfThem() {
    see(1024, 2, 0);
    assertEquals(Optional.empty(), see(512, 2, 999));
    assertEquals(changed(256, 2, 1_000), see(256, 2, 1_000));
  }

  @Test
  public void shouldTellWhoeverWaitsNextAfresh() {
    see(1024, 2, 0);
    assertEquals(Optional.empty(), see(512, 2, false, 1_000));
    assertEquals(changed(1024, 2, 2_000), see(1024, 2, 2_000));
  }

  @Test
  public void shouldTellWhoeverWaitsForNothingOnce() {
    assertEquals(changed(1024, 4, 0), see(1024, 4, false, 0));
    assertEquals(Optional.empty(), see(512, 3, false, 5_000));
  }

  @Test
  public void shouldTakeAQueueBeyondItsLimitForAnEmptyOne() {
    assertEquals(changed(0, 2, 0), see(-64, 2, 0));
  }
}
