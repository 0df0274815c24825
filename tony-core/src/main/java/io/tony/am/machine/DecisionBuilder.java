package io.tony.am.machine;

import io.tony.event.Fact;
import io.tony.model.JobEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A decision in the making, about one event: what follows from it is noted here step by step, and
 * each step sees the state that the facts so far have led to. It lives for one call of {@link
 * JobMachine#handle}.
 */
final class DecisionBuilder {
  private final Instant at;
  private JobState state;
  private final List<JobEvent> facts = new ArrayList<>();
  private final List<Action> actions = new ArrayList<>();

  DecisionBuilder(JobState state, Instant at) {
    this.state = state;
    this.at = at;
  }

  /** The state by now. */
  JobState state() {
    return state;
  }

  /** When the event happened. */
  Instant at() {
    return at;
  }

  /** It has become so: for the log, and for the state. Nothing else of a job changes its state. */
  void record(Fact fact) {
    facts.add(fact.toEvent(at, state.session()));
    state = JobStateReducer.apply(state, at, fact);
  }

  /**
   * What YARN says of the cluster now. That is no fact of the job: it is not written, and the next
   * ApplicationMaster hears it anew.
   */
  void noteCluster(ClusterView cluster) {
    state = state.with(cluster);
  }

  /**
   * What is heard of how the gang failed, before a fact tells the most of it. The next
   * ApplicationMaster names the cause without it.
   */
  void noteFailure(GangFailure gangFailure) {
    state = state.with(state.gang().with(gangFailure));
  }

  void emit(Action action) {
    actions.add(action);
  }

  void emit(List<? extends Action> newActions) {
    actions.addAll(newActions);
  }

  Decision build() {
    return new Decision(state, facts, actions);
  }
}
