package io.tony.am.machine;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.event.JobFact;
import io.tony.model.TaskId;
import java.util.Set;

/**
 * Avoids nodes on which a task was lost or failed its preflight, as long as at least half of the
 * cluster is left. Forgives the avoided nodes when YARN grants no containers elsewhere. At most
 * 1,000 nodes are avoided: if more fail, the nodes are not the cause. A new ApplicationMaster does
 * not know the size of the cluster at first: it avoids nodes without regard to the size, and
 * forgives them if too few turn out to be left.
 */
final class NodeAvoidance {
  private static final int MAX_AVOIDED_NODES = 1_000;

  private NodeAvoidance() {}

  /** Avoids a node on which a task was lost, unless too few nodes would be left. */
  static void avoid(DecisionBuilder decision, String node) {
    avoid(decision, new JobFact.NodeAvoided(node, "a task was lost on it"));
  }

  /**
   * Avoids a node on which the task's preflight failed. Returns true if the node is avoided, also
   * if it already was; false if too few nodes would be left or too many are avoided.
   */
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

  /** Forgives all avoided nodes if too few others are left, after the cluster has shrunk. */
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
