package io.tony.am.machine;

import io.tony.am.machine.Action.DropOldCheckpoints;
import io.tony.am.machine.Event.CheckpointReported;
import io.tony.am.machine.Event.ResumePointChosen;
import io.tony.event.CheckpointFact;
import io.tony.model.TaskId;

/**
 * Handles the events about checkpoints: reports of saved checkpoints, and decisions on where the
 * gang or a task resumes.
 */
final class CheckpointTracker {
  private CheckpointTracker() {}

  /**
   * Handles an executor's report of a checkpoint. Accepts reports about earlier attempts of the
   * task, because a saved checkpoint stays valid when its attempt ends.
   */
  static void checkpointReported(DecisionBuilder decision, CheckpointReported event) {
    CheckpointFact fact = event.fact();
    TaskTable tasks = decision.state().tasks();
    TaskId task = fact.task();
    if (task == null || !tasks.contains(task)) {
      return;
    }
    if (fact instanceof CheckpointFact.CheckpointSaved saved) {
      CheckpointState checkpoints = decision.state().gang().checkpoints();
      if (checkpoints.isNew(saved, tasks.positionOf(saved.task()))) {
        boolean complete = checkpoints.isCompletedBy(saved);
        decision.record(saved.withCompletesSet(complete));
        if (complete || checkpoints.exceedsMaxPartialSets(saved)) {
          decision.emit(new DropOldCheckpoints(complete));
        }
        notifyRequesters(decision, saved.withCompletesSet(complete));
      } else if (saved.set().equals(checkpoints.newestCompleteSet())) {
        // The set is known to be complete, but this checkpoint may answer a request.
        notifyRequesters(decision, saved.withCompletesSet(true));
      }
    } else {
      decision.record(fact);
    }
  }

  private static void notifyRequesters(
      DecisionBuilder decision, CheckpointFact.CheckpointSaved saved) {
    Preemption.checkpointSaved(decision, saved);
    ElasticScaleUp.checkpointSaved(decision, saved);
  }

  /**
   * Records from which checkpoint a start of the gang, or of a task alone, resumes. Ignores the
   * event if the gang has been started again since the decision. Also ignores a decision about the
   * gang's start if one is already recorded for the same start.
   */
  static void resumePointChosen(DecisionBuilder decision, ResumePointChosen event) {
    JobState state = decision.state();
    boolean alreadyChosen =
        event.fact().task() == null && state.gang().checkpoints().resumedFrom() != null;
    if (event.session() == state.session() && !alreadyChosen) {
      decision.record(event.fact());
    }
  }

  static JobState checkpointSaved(JobState state, CheckpointFact.CheckpointSaved fact) {
    CheckpointState next =
        state.gang().checkpoints().with(fact, state.tasks().positionOf(fact.task()));
    return state.with(state.gang().with(next));
  }

  static JobState resumed(JobState state, CheckpointFact.ResumeDecision fact) {
    CheckpointState checkpoints = state.gang().checkpoints();
    return state.with(
        state
            .gang()
            .with(
                fact.task() == null ? checkpoints.with(fact) : checkpoints.withResumedAlone(fact)));
  }
}
