package io.tony.am.machine;

import io.tony.model.JobLimits;
import io.tony.model.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Containers that a running elastic gang has requested in order to grow. Nothing is launched in
 * them yet. Immutable.
 *
 * @param role role of the containers
 * @param requestedCount number of requested containers, including those that have arrived
 * @param held containers that have arrived
 * @param checkpointRequestedAt when the gang asked its programs for a checkpoint to grow from,
 *     after which it accepts no more containers; null before
 */
record SpareContainers(
    RoleSpec role,
    int requestedCount,
    List<Event.ContainerAllocated> held,
    @Nullable Instant checkpointRequestedAt) {
  SpareContainers {
    held = List.copyOf(held);
  }

  SpareContainers with(Event.ContainerAllocated one) {
    List<Event.ContainerAllocated> nextHeld = new ArrayList<>(held);
    nextHeld.add(one);
    return new SpareContainers(role, requestedCount, nextHeld, checkpointRequestedAt);
  }

  /** Returns a copy without the container, which is lost. */
  SpareContainers withoutContainer(String container) {
    List<Event.ContainerAllocated> rest =
        held.stream().filter(one -> !one.container().equals(container)).toList();
    return new SpareContainers(
        role,
        checkpointRequestedAt == null ? requestedCount : rest.size(),
        rest,
        checkpointRequestedAt);
  }

  SpareContainers withCheckpointRequested(Instant now) {
    return new SpareContainers(role, held.size(), held, now);
  }

  boolean holds(String container) {
    return held.stream().anyMatch(one -> one.container().equals(container));
  }

  int missingCount() {
    return requestedCount - held.size();
  }

  /**
   * Returns true if the programs were asked for a checkpoint and the request is still valid. A
   * request that seems to lie in the future, because the clock was set back, counts as well.
   */
  boolean awaitsCheckpoint(JobLimits limits, Instant now) {
    return checkpointRequestedAt != null
        && !held.isEmpty()
        && Duration.between(checkpointRequestedAt, now)
                .compareTo(limits.checkpointRequests().validity())
            < 0;
  }
}
