package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import java.util.Map;
import java.util.Set;

/**
 * Containers that an earlier ApplicationMaster of this application left.
 *
 * @param alive IDs of the containers that still run; each is then either {@linkplain Launcher#adopt
 *     adopted} or released
 * @param ended ends of other containers that tasks held, by container ID
 * @param maxContainerMiB maximum size of a container, in MiB; 0 if unknown
 */
public record InheritedContainers(
    Set<String> alive, Map<String, ContainerEnd> ended, long maxContainerMiB) {
  public InheritedContainers {
    alive = Set.copyOf(alive);
    ended = Map.copyOf(ended);
  }
}
