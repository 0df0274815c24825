package io.tony.am.machine;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.event.JobFact;
import io.tony.model.TaskId;
import java.util.Set;

/**
 * Nodes on which a task was lost are avoided, as long as at least half of the cluster is left, and
 * until a request has waited in vain; of more than a thousand, it is not the nodes. Right after a
 * takeover nobody knows how large the cluster is: then they are avoided, and forgiven when too few
 * turn out to be left.
 */
final class NodeAvoidance {
  private static final int MAX_AVOIDED_NODES = 1_000;

  private NodeAvoidance() {}

  /** One on which a task was lost. */
  static void avoid(DecisionBuilder draft, String node) {
    avoid(draft, new JobFact.NodeAvoided(node, "a task was lost on it"));
  }

  /** One that failed the preflight of a task; false where too few would be left without it. */
  static boolean avoidUnfit(DecisionBuilder draft, String node, TaskId task) {
    int unfitCount = draft.state().clusterView().unfitCount() + 1;
    return avoid(
        draft, new JobFact.NodeAvoided(node, "it failed the preflight of " + task, unfitCount));
  }

  private static boolean avoid(DecisionBuilder draft, JobFact.NodeAvoided fact) {
    ClusterView cluster = draft.state().clusterView();
    int nextCount = cluster.avoided().size() + 1;
    if (cluster.avoided().contains(fact.node())) {
      return true;
    }
    if (fact.node().isEmpty() || nextCount > MAX_AVOIDED_NODES || !leavesHalf(cluster, nextCount)) {
      return false;
    }
    draft.record(fact);
    draft.emit(new AvoidNodes(draft.state().clusterView().avoided()));
    return true;
  }

  private static boolean leavesHalf(ClusterView cluster, int avoidedCount) {
    return cluster.nodeCount() == 0 || avoidedCount * 2 <= cluster.nodeCount();
  }

  /** What is known of the cluster has changed. */
  static void reconsider(DecisionBuilder draft) {
    ClusterView cluster = draft.state().clusterView();
    if (!leavesHalf(cluster, cluster.avoided().size())) {
      forgive(draft);
    }
  }

  static void forgive(DecisionBuilder draft) {
    if (!draft.state().clusterView().avoided().isEmpty()) {
      draft.record(new JobFact.NodesForgiven());
      draft.emit(new AvoidNodes(Set.of()));
    }
  }
}
