package io.tony.am.machine;

import io.tony.model.ResourceSpec;
import java.util.HashSet;
import java.util.Set;

/**
 * What is known of the cluster.
 *
 * @param free what the queue can still give; null when YARN has not said
 * @param nodeCount how many there are; 0 when YARN has not said
 * @param maxContainerMiB how many MiB a container may have; 0 when YARN has not said
 * @param avoided nodes on which no container is taken
 * @param forgiven nodes that were avoided, and are no more
 * @param unfitCount how often a node was avoided because it had failed the preflight
 * @param spares what a running gang has got to grow into; null while it asks for nothing
 */
record ClusterView(
    ResourceSpec free,
    int nodeCount,
    long maxContainerMiB,
    Set<String> avoided,
    Set<String> forgiven,
    int unfitCount,
    SpareContainers spares) {
  ClusterView {
    avoided = Set.copyOf(avoided);
    forgiven = Set.copyOf(forgiven);
  }

  /** YARN has not said anything. */
  static ClusterView unknown() {
    return new ClusterView(null, 0, 0, Set.of(), Set.of(), 0, null);
  }

  /** {@code unfit} is its count with this node; null where it did not fail the preflight. */
  ClusterView withAvoided(String node, Integer newUnfitCount) {
    Set<String> nextAvoided = new HashSet<>(avoided);
    nextAvoided.add(node);
    Set<String> nextForgiven = new HashSet<>(forgiven);
    nextForgiven.remove(node);
    int nextUnfitCount = newUnfitCount == null ? this.unfitCount : newUnfitCount;
    return new ClusterView(
        free, nodeCount, maxContainerMiB, nextAvoided, nextForgiven, nextUnfitCount, spares);
  }

  ClusterView withoutAvoided() {
    return new ClusterView(
        free, nodeCount, maxContainerMiB, Set.of(), everAvoided(), unfitCount, spares);
  }

  /** Those that are avoided, and those that were. */
  Set<String> everAvoided() {
    Set<String> all = new HashSet<>(avoided);
    all.addAll(forgiven);
    return all;
  }

  ClusterView withSpares(SpareContainers next) {
    return new ClusterView(free, nodeCount, maxContainerMiB, avoided, forgiven, unfitCount, next);
  }

  /** With what YARN says at once of how large a container may be. */
  ClusterView withMaxContainerMiB(long nextMaxMiB) {
    return new ClusterView(free, nodeCount, nextMaxMiB, avoided, forgiven, unfitCount, spares);
  }

  /** With what YARN says of it now. */
  ClusterView with(Event.ClusterChanged event) {
    return new ClusterView(
        event.free(),
        event.nodeCount(),
        event.maxContainerMiB(),
        avoided,
        forgiven,
        unfitCount,
        spares);
  }
}
