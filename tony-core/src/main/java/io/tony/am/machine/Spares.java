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
 * @param wanted how many
 * @param held those that have come
 * @param asked when no more were waited for, and the programs were asked for a checkpoint; null
 *     before
 */
record Spares(RoleSpec role, int wanted, List<Event.ContainerAllocated> held, Instant asked) {
  Spares {
    held = List.copyOf(held);
  }

  Spares with(Event.ContainerAllocated one) {
    List<Event.ContainerAllocated> more = new ArrayList<>(held);
    more.add(one);
    return new Spares(role, wanted, more, asked);
  }

  /** Without one that is gone. */
  Spares without(String container) {
    List<Event.ContainerAllocated> rest =
        held.stream().filter(one -> !one.container().equals(container)).toList();
    return new Spares(role, asked == null ? wanted : rest.size(), rest, asked);
  }

  Spares complete(Instant now) {
    return new Spares(role, held.size(), held, now);
  }

  boolean holds(String container) {
    return held.stream().anyMatch(one -> one.container().equals(container));
  }

  int missing() {
    return wanted - held.size();
  }

  /** Whether an answer is worth something. A clock that was set back changes nothing. */
  boolean awaitsAnswer(JobLimits limits, Instant now) {
    return asked != null
        && !held.isEmpty()
        && Duration.between(asked, now).compareTo(limits.asking().counts()) < 0;
  }
}
