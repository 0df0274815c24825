package io.tony.am.machine;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.event.JobFact;
import io.tony.model.TaskId;
import java.util.Set;

/**
 * Avoids nodes on which a task was lost, as long as at least half of the cluster remains and
 * requests are served. Avoidance stops at 1,000 nodes, because with more the nodes are not the
 * cause. Right after a takeover the size of the cluster is unknown: nodes are then avoided, and
 * forgiven when too few turn out to be left.
 */
final class NodeAvoidance {
  private static final int MAX_AVOIDED_NODES = 1_000;

  private NodeAvoidance() {}

  /** Avoids a node on which a task was lost. */
  static void avoid(DecisionBuilder decision, String node) {
    avoid(decision, new JobFact.NodeAvoided(node, "a task was lost on it"));
  }

  /** Avoids a node that failed a task's preflight. Returns false if too few nodes would be left. */
  static boolean avoidUnfit(DecisionBuilder decision, String node, TaskId task) {
    int unfitCount = decision.state().clusterView().failedPreflightCount() + 1;
    return avoid(
        decision, new JobFact.NodeAvoided(node, "it failed the preflight of " + task, unfitCount));
  }

  private static boolean avoid(DecisionBuilder decision, JobFact.NodeAvoided fact) {
    ClusterView cluster = decision.state().clusterView();
    int nextCount = cluster.avoided().size() + 1;
    if (cluster.avoided().contains(fact.node())) {
      return true;
    }
    if (fact.node().isEmpty() || nextCount > MAX_AVOIDED_NODES || !leavesHalf(cluster, nextCount)) {
      return false;
    }
    decision.record(fact);
    decision.emit(new AvoidNodes(decision.state().clusterView().avoided()));
    return true;
  }

  private static boolean leavesHalf(ClusterView cluster, int avoidedCount) {
    return cluster.nodeCount() == 0 || avoidedCount * 2 <= cluster.nodeCount();
  }

  /** Forgives all nodes if the cluster has shrunk so far that too few are left. */
  static void reconsider(DecisionBuilder decision) {
    ClusterView cluster = decision.state().clusterView();
    if (!leavesHalf(cluster, cluster.avoided().size())) {
      forgive(decision);
    }
  }

  static void forgive(DecisionBuilder decision) {
    if (!decision.state().clusterView().avoided().isEmpty()) {
      decision.record(new JobFact.NodesForgiven());
      decision.emit(new AvoidNodes(Set.of()));
    }
  }
}
