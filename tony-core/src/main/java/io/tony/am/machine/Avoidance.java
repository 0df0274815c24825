package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.JobState.Surroundings;
import io.tony.model.JobEvent;

/**
 * Nodes on which a task was lost are avoided, as long as at least half of the cluster is left, and
 * until a request has waited in vain. Right after a takeover nobody knows how large the cluster is:
 * then they are avoided, and forgiven when too few turn out to be left.
 */
final class Avoidance {
  private Avoidance() {}

  static Decision avoid(JobState state, Event event, String node) {
    Surroundings around = state.around();
    Surroundings next = around.avoiding(node);
    if (node.isEmpty() || around.avoided().contains(node) || !leavesHalf(next)) {
      return Decision.unchanged(state);
    }
    JobEvent fact =
        Facts.job(state, event, JobEvent.Type.NODE_AVOIDED)
            .with("node", node)
            .with("message", "a task was lost on it")
            .event();
    return Decision.of(state.with(next), new AppendEvent(fact), new AvoidNodes(next.avoided()));
  }

  private static boolean leavesHalf(Surroundings around) {
    return around.nodes() == 0 || around.avoided().size() * 2 <= around.nodes();
  }

  /** What is known of the cluster has changed. */
  static Decision reconsider(JobState state, Event event) {
    return leavesHalf(state.around()) ? Decision.unchanged(state) : forgive(state, event);
  }

  static Decision forgive(JobState state, Event event) {
    if (state.around().avoided().isEmpty()) {
      return Decision.unchanged(state);
    }
    Surroundings next = state.around().forgiving();
    return Decision.of(
        state.with(next),
        new AppendEvent(Facts.job(state, event, JobEvent.Type.NODES_FORGIVEN).event()),
        new AvoidNodes(next.avoided()));
  }
}
