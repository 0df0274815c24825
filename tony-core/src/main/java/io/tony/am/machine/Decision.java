package io.tony.am.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

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

  /**
   * What the step makes of each item, one after the other; the actions are put together once,
   * however many items there are.
   */
  static <T> Decision forEach(
      JobState state, Iterable<T> items, BiFunction<JobState, T, Decision> step) {
    JobState now = state;
    List<Action> all = new ArrayList<>();
    for (T item : items) {
      Decision next = step.apply(now, item);
      now = next.state;
      all.addAll(next.actions);
    }
    return new Decision(now, all);
  }

  /** This decision, and after it what the step makes of its state. */
  Decision then(Function<JobState, Decision> step) {
    Decision next = step.apply(state);
    List<Action> all = new ArrayList<>(actions);
    all.addAll(next.actions);
    return new Decision(next.state, all);
  }
}
