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
 */
public record Inherited(Set<String> alive, Map<String, ContainerEnd> ended) {
  public Inherited {
    alive = Set.copyOf(alive);
    ended = Map.copyOf(ended);
  }
}
