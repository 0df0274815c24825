package io.tony.am.machine;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.tony.model.ResourceSpec;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the job knows about the cluster. Immutable.
 *
 * @param free resources that the job's queue has left; null if YARN has not reported them
 * @param nodeCount number of nodes; 0 if YARN has not reported it
 * @param maxContainerMiB maximum memory of a container in MiB; 0 if YARN has not reported it
 * @param avoided nodes from which the job takes no container
 * @param forgiven nodes that the job avoided earlier and does not avoid any more
 * @param failedPreflightCount how often a node was avoided because a task's preflight failed on it
 * @param spares additional containers that the running gang has requested in order to grow; null if
 *     it has requested none
 */
@RecordBuilder
record ClusterView(
    @Nullable ResourceSpec free,
    int nodeCount,
    long maxContainerMiB,
    Set<String> avoided,
    Set<String> forgiven,
    int failedPreflightCount,
    @Nullable SpareContainers spares) {
  ClusterView {
    avoided = Set.copyOf(avoided);
    forgiven = Set.copyOf(forgiven);
  }

  /** Returns the view before YARN has reported anything. */
  static ClusterView unknown() {
    return new ClusterView(null, 0, 0, Set.of(), Set.of(), 0, null);
  }

  /**
   * Returns a copy in which the node is avoided.
   *
   * @param newFailedPreflightCount how often a node was avoided because of a failed preflight,
   *     including this node; null if this node is avoided for another reason
   */
  ClusterView withAvoided(String node, @Nullable Integer newFailedPreflightCount) {
    Set<String> nextAvoided = new HashSet<>(avoided);
    nextAvoided.add(node);
    Set<String> nextForgiven = new HashSet<>(forgiven);
    nextForgiven.remove(node);
    int nextUnfitCount =
        newFailedPreflightCount == null ? this.failedPreflightCount : newFailedPreflightCount;
    return toBuilder()
        .avoided(nextAvoided)
        .forgiven(nextForgiven)
        .failedPreflightCount(nextUnfitCount)
        .build();
  }

  ClusterView withoutAvoided() {
    return toBuilder().avoided(Set.of()).forgiven(everAvoided()).build();
  }

  /** Returns the nodes that are avoided now or were avoided earlier. */
  Set<String> everAvoided() {
    Set<String> all = new HashSet<>(avoided);
    all.addAll(forgiven);
    return all;
  }

  ClusterView withSpares(@Nullable SpareContainers next) {
    return toBuilder().spares(next).build();
  }

  /**
   * Returns a copy with the maximum memory of a container, in MiB, that YARN reports when the
   * ApplicationMaster registers.
   */
  ClusterView withMaxContainerMiB(long nextMaxMiB) {
    return toBuilder().maxContainerMiB(nextMaxMiB).build();
  }

  /** Returns a copy with the figures that YARN has reported with this event. */
  ClusterView with(Event.ClusterChanged event) {
    return toBuilder()
        .free(event.free())
        .nodeCount(event.nodeCount())
        .maxContainerMiB(event.maxContainerMiB())
        .build();
  }

  private ClusterViewBuilder toBuilder() {
    return ClusterViewBuilder.toBuilder(this);
  }
}
