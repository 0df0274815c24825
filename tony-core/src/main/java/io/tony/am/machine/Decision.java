package io.tony.am.machine;

import java.util.ArrayList;
import java.util.List;

/** What the machine makes of an event: the next state, and what is to be done, in order. */
public record Decision(JobState state, List<Action> actions) {
  public Decision {
    actions = List.copyOf(actions);
  }

  static Decision unchanged(JobState state) {
    return new Decision(state, List.of());
  }

  static Decision of(JobState state, Action... actions) {
    return new Decision(state, List.of(actions));
  }

  /** This decision, and after it what the step makes of its state. */
  Decision then(java.util.function.Function<JobState, Decision> step) {
    Decision next = step.apply(state);
    List<Action> all = new ArrayList<>(actions);
    all.addAll(next.actions);
    return new Decision(next.state, all);
  }
}
