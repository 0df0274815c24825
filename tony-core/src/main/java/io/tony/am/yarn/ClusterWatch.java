package io.tony.am.yarn;

import io.tony.am.machine.Event.ClusterChanged;
import io.tony.container.YarnResources;
import io.tony.model.ResourceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;

/**
 * Sees by YARN's answers what the queue can still give and how many nodes there are. It tells that
 * once to whoever comes, and changes, at most one a second, to whoever waits for containers.
 */
final class ClusterWatch {
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

  private final long maxContainerMiB;
  private Instant reportedAt = Instant.MIN;
  private ResourceSpec free;
  private int nodes;

  /**
   * @param maxContainerMiB how many MiB the largest container may have
   */
  ClusterWatch(long maxContainerMiB) {
    this.maxContainerMiB = maxContainerMiB;
  }

  /** How many MiB the largest container may have. */
  long maxContainerMiB() {
    return maxContainerMiB;
  }

  /**
   * What is to be told now, if anything.
   *
   * @param pending whether containers are pending
   */
  Optional<ClusterChanged> update(AllocateResponse response, boolean pending, Instant now) {
    if (!pending && !reportedAt.equals(Instant.MIN)) {
      free = null; // whoever waits next is told afresh
      return Optional.empty();
    }
    if (response.getAvailableResources() == null || reportedRecently(now)) {
      return Optional.empty();
    }
    ResourceSpec freeNow = YarnResources.spec(response.getAvailableResources());
    int nodesNow = response.getNumClusterNodes();
    if (freeNow.equals(free) && nodesNow == nodes) {
      return Optional.empty();
    }
    free = freeNow;
    nodes = nodesNow;
    reportedAt = now;
    return Optional.of(new ClusterChanged(now, freeNow, nodesNow, maxContainerMiB));
  }

  /** A clock that was set back says nothing of how long it is ago. */
  private boolean reportedRecently(Instant now) {
    return !now.isBefore(reportedAt) && now.isBefore(reportedAt.plus(MIN_INTERVAL));
  }
}
