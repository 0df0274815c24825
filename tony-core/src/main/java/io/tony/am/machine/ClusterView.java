package io.tony.am.machine;

import io.tony.model.ResourceSpec;
import java.util.HashSet;
import java.util.Set;

/**
 * What is known of the cluster.
 *
 * @param free what the queue can still give; null when YARN has not said
 * @param nodes how many there are; 0 when YARN has not said
 * @param largest how many MiB a container may have; 0 when YARN has not said
 * @param avoided nodes on which no container is taken
 */
record ClusterView(ResourceSpec free, int nodes, long largest, Set<String> avoided) {
  ClusterView {
    avoided = Set.copyOf(avoided);
  }

  ClusterView avoiding(String node) {
    Set<String> more = new HashSet<>(avoided);
    more.add(node);
    return new ClusterView(free, nodes, largest, more);
  }

  ClusterView forgiving() {
    return new ClusterView(free, nodes, largest, Set.of());
  }
}
