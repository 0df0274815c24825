package io.tony.am.machine;

import io.tony.event.Fact;
import io.tony.model.JobEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the decision about one event. Handlers record facts and emit actions step by step, and see
 * the state after the facts recorded so far. Each call of {@link JobMachine#handle} uses its own
 * builder.
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
   * Records a fact for the event log and applies it to the state. Only facts and the {@code note}
   * methods change the state.
   */
  void record(Fact fact) {
    facts.add(fact.toEvent(at, state.session()));
    state = JobStateReducer.apply(state, at, fact);
  }

  /**
   * Sets the view of the cluster. The event log does not contain the view; after a change of
   * ApplicationMasters, YARN reports the figures again.
   */
  void noteCluster(ClusterView cluster) {
    state = state.with(cluster);
  }

  /**
   * Sets what is known about the gang's failure. The event log contains this only after a {@link
   * io.tony.event.RootCause} is recorded: a later ApplicationMaster does not know what was noted
   * after the last record.
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
