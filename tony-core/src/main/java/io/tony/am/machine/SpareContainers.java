package io.tony.am.machine;

import io.tony.model.JobLimits;
import io.tony.model.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Containers that an elastic gang has asked for while it runs, to grow into. Nothing is launched in
 * them yet.
 *
 * @param role as which they are asked for
 * @param wantedCount how many
 * @param held those that have come
 * @param checkpointRequestedAt when no more were waited for, and the programs were asked for a
 *     checkpoint; null before
 */
record SpareContainers(
    RoleSpec role,
    int wantedCount,
    List<Event.ContainerAllocated> held,
    Instant checkpointRequestedAt) {
  SpareContainers {
    held = List.copyOf(held);
  }

  SpareContainers with(Event.ContainerAllocated one) {
    List<Event.ContainerAllocated> nextHeld = new ArrayList<>(held);
    nextHeld.add(one);
    return new SpareContainers(role, wantedCount, nextHeld, checkpointRequestedAt);
  }

  /** Without one that is gone. */
  SpareContainers withoutContainer(String container) {
    List<Event.ContainerAllocated> rest =
        held.stream().filter(one -> !one.container().equals(container)).toList();
    return new SpareContainers(
        role,
        checkpointRequestedAt == null ? wantedCount : rest.size(),
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
    return wantedCount - held.size();
  }

  /** Whether an answer is worth something. A clock that was set back changes nothing. */
  boolean awaitsCheckpoint(JobLimits limits, Instant now) {
    return checkpointRequestedAt != null
        && !held.isEmpty()
        && Duration.between(checkpointRequestedAt, now)
                .compareTo(limits.checkpointRequests().validity())
            < 0;
  }
}
