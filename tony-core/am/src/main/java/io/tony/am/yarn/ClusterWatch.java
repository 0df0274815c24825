package io.tony.am.yarn;

import io.tony.am.machine.Event.ClusterChanged;
import io.tony.container.YarnResources;
import io.tony.model.ResourceSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.jspecify.annotations.Nullable;

/**
 * Watches in YARN's answers the queue's free resources and the number of nodes. Reports the first
 * values in any case; then only changes while container requests are pending, at most once per
 * second.
 */
final class ClusterWatch {
  private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

  private final long maxContainerMiB;
  private Instant reportedAt = Instant.MIN;
  private @Nullable ResourceSpec free; // null if the next values are reported in any case
  private int nodes;

  /** {@code maxContainerMiB} is the size of the largest possible container, in MiB. */
  ClusterWatch(long maxContainerMiB) {
    this.maxContainerMiB = maxContainerMiB;
  }

  /** Returns the size of the largest possible container, in MiB. */
  long maxContainerMiB() {
    return maxContainerMiB;
  }

  /**
   * Returns the event to offer after YARN's answer; empty if there is nothing to report.
   *
   * @param pending whether container requests are pending
   */
  Optional<ClusterChanged> update(AllocateResponse response, boolean pending, Instant now) {
    if (!pending && !reportedAt.equals(Instant.MIN)) {
      // Report the values again once requests are pending.
      free = null;
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

  /**
   * Returns whether the last report is too recent for another one. If the clock was set back, the
   * time since then is unknown and counts as long enough.
   */
  private boolean reportedRecently(Instant now) {
    return !now.isBefore(reportedAt) && now.isBefore(reportedAt.plus(MIN_INTERVAL));
  }
}
