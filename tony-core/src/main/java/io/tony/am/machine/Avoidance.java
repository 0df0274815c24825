package io.tony.am.machine;

import io.tony.am.machine.Action.AppendEvent;
import io.tony.am.machine.Action.AvoidNodes;
import io.tony.am.machine.JobState.Surroundings;
import io.tony.model.JobEvent;

/**
 * Nodes on which a task was lost are avoided, as long as at least half of the cluster is left, and
 * until a request has waited in vain.
 */
final class Avoidance {
  private Avoidance() {}

  static Decision avoid(JobState state, Event event, String node) {
    Surroundings around = state.around();
    boolean half = (around.avoided().size() + 1) * 2 <= around.nodes();
    if (node.isEmpty() || around.avoided().contains(node) || !half) {
      return Decision.unchanged(state);
    }
    Surroundings next = around.avoiding(node);
    JobEvent fact =
        Facts.job(state, event, JobEvent.Type.NODE_AVOIDED)
            .with("node", node)
            .with("message", "a task was lost on it")
            .event();
    return Decision.of(state.with(next), new AppendEvent(fact), new AvoidNodes(next.avoided()));
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
