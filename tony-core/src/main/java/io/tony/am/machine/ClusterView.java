package io.tony.am.machine;

import io.tony.model.ResourceSpec;
import java.util.HashSet;
import java.util.Set;

/**
 * What the job knows about the cluster.
 *
 * @param free remaining resources of the queue; null if YARN has not reported them
 * @param nodeCount number of nodes; 0 if YARN has not reported it
 * @param maxContainerMiB memory limit of a container in MiB; 0 if YARN has not reported it
 * @param avoided nodes on which no container is taken
 * @param forgiven nodes that were avoided earlier and are not any more
 * @param failedPreflightCount how many nodes were avoided because the preflight failed on them
 * @param spares containers that a running gang collects in order to grow; null while it requests
 *     none
 */
record ClusterView(
    ResourceSpec free,
    int nodeCount,
    long maxContainerMiB,
    Set<String> avoided,
    Set<String> forgiven,
    int failedPreflightCount,
    SpareContainers spares) {
  ClusterView {
    avoided = Set.copyOf(avoided);
    forgiven = Set.copyOf(forgiven);
  }

  /** The view before the first report of YARN. */
  static ClusterView unknown() {
    return new ClusterView(null, 0, 0, Set.of(), Set.of(), 0, null);
  }

  /**
   * Returns a copy that avoids the node. {@code newUnfitCount} is the new count of unfit nodes;
   * null if the node did not fail the preflight.
   */
  ClusterView withAvoided(String node, Integer newUnfitCount) {
    Set<String> nextAvoided = new HashSet<>(avoided);
    nextAvoided.add(node);
    Set<String> nextForgiven = new HashSet<>(forgiven);
    nextForgiven.remove(node);
    int nextUnfitCount = newUnfitCount == null ? this.failedPreflightCount : newUnfitCount;
    return new ClusterView(
        free, nodeCount, maxContainerMiB, nextAvoided, nextForgiven, nextUnfitCount, spares);
  }

  ClusterView withoutAvoided() {
    return new ClusterView(
        free, nodeCount, maxContainerMiB, Set.of(), everAvoided(), failedPreflightCount, spares);
  }

  /** Returns the nodes that are avoided now or were avoided earlier. */
  Set<String> everAvoided() {
    Set<String> all = new HashSet<>(avoided);
    all.addAll(forgiven);
    return all;
  }

  ClusterView withSpares(SpareContainers next) {
    return new ClusterView(
        free, nodeCount, maxContainerMiB, avoided, forgiven, failedPreflightCount, next);
  }

  /** Returns a copy with the memory limit that YARN reports at registration. */
  ClusterView withMaxContainerMiB(long nextMaxMiB) {
    return new ClusterView(
        free, nodeCount, nextMaxMiB, avoided, forgiven, failedPreflightCount, spares);
  }

  /** Returns a copy with YARN's current figures. */
  ClusterView with(Event.ClusterChanged event) {
    return new ClusterView(
        event.free(),
        event.nodeCount(),
        event.maxContainerMiB(),
        avoided,
        forgiven,
        failedPreflightCount,
        spares);
  }
}
