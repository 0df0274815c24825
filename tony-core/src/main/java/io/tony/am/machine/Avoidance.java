package io.tony.am.machine;

import io.tony.am.machine.Action.AvoidNodes;
import io.tony.fact.JobFact;
import io.tony.model.TaskId;
import java.util.Set;

/**
 * Nodes on which a task was lost are avoided, as long as at least half of the cluster is left, and
 * until a request has waited in vain; of more than a thousand, it is not the nodes. Right after a
 * takeover nobody knows how large the cluster is: then they are avoided, and forgiven when too few
 * turn out to be left.
 */
final class Avoidance {
  private static final int MOST = 1_000;

  private Avoidance() {}

  /** One on which a task was lost. */
  static void avoid(Draft draft, String node) {
    avoid(draft, new JobFact.NodeAvoided(node, "a task was lost on it"));
  }

  /** One that failed the preflight of a task; false where too few would be left without it. */
  static boolean avoidUnfit(Draft draft, String node, TaskId task) {
    int unfit = draft.state().clusterView().unfit() + 1;
    return avoid(draft, new JobFact.NodeAvoided(node, "it failed the preflight of " + task, unfit));
  }

  private static boolean avoid(Draft draft, JobFact.NodeAvoided fact) {
    ClusterView cluster = draft.state().clusterView();
    int next = cluster.avoided().size() + 1;
    if (cluster.avoided().contains(fact.node())) {
      return true;
    }
    if (fact.node().isEmpty() || next > MOST || !leavesHalf(cluster, next)) {
      return false;
    }
    draft.record(fact);
    draft.act(new AvoidNodes(draft.state().clusterView().avoided()));
    return true;
  }

  private static boolean leavesHalf(ClusterView cluster, int avoided) {
    return cluster.nodes() == 0 || avoided * 2 <= cluster.nodes();
  }

  /** What is known of the cluster has changed. */
  static void reconsider(Draft draft) {
    ClusterView cluster = draft.state().clusterView();
    if (!leavesHalf(cluster, cluster.avoided().size())) {
      forgive(draft);
    }
  }

  static void forgive(Draft draft) {
    if (!draft.state().clusterView().avoided().isEmpty()) {
      draft.record(new JobFact.NodesForgiven());
      draft.act(new AvoidNodes(Set.of()));
    }
  }
}
