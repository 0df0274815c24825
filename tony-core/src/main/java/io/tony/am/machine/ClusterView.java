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
 * @param forgiven nodes that were avoided, and are no more
 * @param unfit how often a node was avoided because it had failed the preflight
 * @param spares what a running gang has got to grow into; null while it asks for nothing
 */
record ClusterView(
    ResourceSpec free,
    int nodes,
    long largest,
    Set<String> avoided,
    Set<String> forgiven,
    int unfit,
    Spares spares) {
  ClusterView {
    avoided = Set.copyOf(avoided);
    forgiven = Set.copyOf(forgiven);
  }

  /** YARN has not said anything. */
  static ClusterView unknown() {
    return new ClusterView(null, 0, 0, Set.of(), Set.of(), 0, null);
  }

  /** {@code unfit} is its count with this node; null where it did not fail the preflight. */
  ClusterView avoiding(String node, Integer unfit) {
    Set<String> more = new HashSet<>(avoided);
    more.add(node);
    Set<String> fewer = new HashSet<>(forgiven);
    fewer.remove(node);
    int counted = unfit == null ? this.unfit : unfit;
    return new ClusterView(free, nodes, largest, more, fewer, counted, spares);
  }

  ClusterView forgiving() {
    return new ClusterView(free, nodes, largest, Set.of(), everAvoided(), unfit, spares);
  }

  /** Those that are avoided, and those that were. */
  Set<String> everAvoided() {
    Set<String> ever = new HashSet<>(avoided);
    ever.addAll(forgiven);
    return ever;
  }

  ClusterView holding(Spares next) {
    return new ClusterView(free, nodes, largest, avoided, forgiven, unfit, next);
  }

  /** With what YARN says at once of how large a container may be. */
  ClusterView withLargest(long most) {
    return new ClusterView(free, nodes, most, avoided, forgiven, unfit, spares);
  }

  /** With what YARN says of it now. */
  ClusterView with(Event.ClusterChanged event) {
    return new ClusterView(
        event.free(), event.nodes(), event.largest(), avoided, forgiven, unfit, spares);
  }
}
