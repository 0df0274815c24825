package io.tony.am.yarn;

import io.tony.am.machine.Event;
import io.tony.model.TaskKey;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.PreemptionContainer;
import org.apache.hadoop.yarn.api.records.PreemptionMessage;
import org.jspecify.annotations.Nullable;

/**
 * Finds the containers that YARN announces to take from the job (preemption). A strict contract
 * names containers that YARN takes in any case; a negotiable contract names those that it takes
 * unless the job releases the same amount elsewhere. The CapacityScheduler sends negotiable
 * contracts, names each container once, and takes it after {@code max_wait_before_kill} at the
 * earliest.
 */
final class PreemptedContainers {
  private PreemptedContainers() {}

  /**
   * Returns an event that names the tasks whose containers YARN will take; empty if YARN will take
   * none. {@code message} is null if YARN's answer contains no preemption message.
   */
  static Optional<Event.PreemptionNotice> toEvent(
      @Nullable PreemptionMessage message, JobContainers containers, Instant now) {
    List<TaskKey> tasks =
        of(message).stream().map(containers::task).filter(Objects::nonNull).toList();
    return tasks.isEmpty() ? Optional.empty() : Optional.of(new Event.PreemptionNotice(now, tasks));
  }

  static Set<ContainerId> of(@Nullable PreemptionMessage message) {
    Set<ContainerId> ids = new LinkedHashSet<>();
    if (message != null && message.getStrictContract() != null) {
      add(message.getStrictContract().getContainers(), ids);
    }
    if (message != null && message.getContract() != null) {
      add(message.getContract().getContainers(), ids);
    }
    return ids;
  }

  private static void add(@Nullable Set<PreemptionContainer> containers, Set<ContainerId> ids) {
    if (containers != null) {
      containers.forEach(container -> ids.add(container.getId()));
    }
  }
}
