package io.tony.am.machine;

import io.tony.model.JobLimits;
import io.tony.model.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Containers that a running elastic gang has requested in order to grow. Nothing is launched in
 * them yet.
 *
 * @param role the role that the containers are for
 * @param requestedCount number of requested containers
 * @param held containers that have arrived
 * @param checkpointRequestedAt when the gang stopped waiting for more containers and asked its
 *     programs for a checkpoint; null before
 */
record SpareContainers(
    RoleSpec role,
    int requestedCount,
    List<Event.ContainerAllocated> held,
    Instant checkpointRequestedAt) {
  SpareContainers {
    held = List.copyOf(held);
  }

  SpareContainers with(Event.ContainerAllocated one) {
    List<Event.ContainerAllocated> nextHeld = new ArrayList<>(held);
    nextHeld.add(one);
    return new SpareContainers(role, requestedCount, nextHeld, checkpointRequestedAt);
  }

  /** Returns a copy without a container that is gone. */
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
   * Returns true if a checkpoint was requested and the request is still valid. A request in the
   * future, after the clock was set back, counts as well.
   */
  boolean awaitsCheckpoint(JobLimits limits, Instant now) {
    return checkpointRequestedAt != null
        && !held.isEmpty()
        && Duration.between(checkpointRequestedAt, now)
                .compareTo(limits.checkpointRequests().validity())
            < 0;
  }
}
