package io.tony.am.machine;

import io.tony.event.Fact;
import io.tony.model.JobEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the decision about one event, step by step. Each step sees the state after the facts
 * recorded so far. An instance lives for one call of {@link JobMachine#handle}.
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

  /** Returns the state after the facts recorded so far. */
  JobState state() {
    return state;
  }

  /** Returns the time of the event. */
  Instant at() {
    return at;
  }

  /**
   * Records a fact for the event log and applies it to the state. Apart from the {@code note}
   * methods, only facts change the state.
   */
  void record(Fact fact) {
    facts.add(fact.toEvent(at, state.session()));
    state = JobStateReducer.apply(state, at, fact);
  }

  /**
   * Sets the view of the cluster. The view is not written to the event log; the next
   * ApplicationMaster gets it from YARN again.
   */
  void noteCluster(ClusterView cluster) {
    state = state.with(cluster);
  }

  /**
   * Sets the details of the gang's failure before a fact records most of them. They are not written
   * to the event log; the next ApplicationMaster names the cause without them.
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
