package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import java.util.Map;
import java.util.Set;

/**
 * Containers that an earlier ApplicationMaster of this application left.
 *
 * @param alive IDs of the containers that are still running; the caller must {@linkplain
 *     Launcher#adopt adopt} or release each of them
 * @param ended how the other containers of tasks ended, by container ID
 * @param maxContainerMiB maximum size of a container, in MiB; 0 if unknown
 */
public record InheritedContainers(
    Set<String> alive, Map<String, ContainerEnd> ended, long maxContainerMiB) {
  public InheritedContainers {
    alive = Set.copyOf(alive);
    ended = Map.copyOf(ended);
  }
}
