package io.tony.am.scheduler;

import io.tony.am.machine.Event.ContainerEnd;
import java.util.Map;
import java.util.Set;

/**
 * What an earlier ApplicationMaster of this application left.
 *
 * @param alive the containers that run on. Each of them is either {@linkplain Launcher#adopt
 *     adopted} or released
 * @param ended what became of others that tasks held
 * @param maxContainerMiB how many MiB a container may have; 0 where YARN has not said
 */
public record InheritedContainers(
    Set<String> alive, Map<String, ContainerEnd> ended, long maxContainerMiB) {
  public InheritedContainers {
    alive = Set.copyOf(alive);
    ended = Map.copyOf(ended);
  }
}
