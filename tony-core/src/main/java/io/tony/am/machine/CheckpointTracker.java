package io.tony.am.machine;

import io.tony.am.machine.Action.DropOldCheckpoints;
import io.tony.am.machine.Event.CheckpointReported;
import io.tony.am.machine.Event.ResumePointChosen;
import io.tony.event.CheckpointFact;

/**
 * Handles checkpoint events: checkpoints that tasks saved, and the decision where a gang resumes.
 */
final class CheckpointTracker {
  private CheckpointTracker() {}

  /**
   * Handles an executor's report of a checkpoint, of the task's current attempt or an earlier one
   * (a saved checkpoint stays valid after its attempt).
   */
  static void checkpointReported(DecisionBuilder draft, CheckpointReported event) {
    CheckpointFact fact = event.fact();
    TaskTable tasks = draft.state().tasks();
    if (!tasks.contains(fact.task())) {
      return;
    }
    if (fact instanceof CheckpointFact.CheckpointSaved saved) {
      CheckpointState checkpoints = draft.state().gang().checkpoints();
      if (checkpoints.isNew(saved, tasks.positionOf(saved.task()))) {
        boolean complete = checkpoints.isCompletedBy(saved);
        draft.record(saved.withCompletesSet(complete));
        if (complete || checkpoints.overflowsWith(saved)) {
          draft.emit(new DropOldCheckpoints(complete));
        }
        notifyRequesters(draft, saved.withCompletesSet(complete));
      } else if (saved.set().equals(checkpoints.newestCompleteSet())) {
        notifyRequesters(
            draft, saved.withCompletesSet(true)); // the program has nothing newer to save
      }
    } else {
      draft.record(fact);
    }
  }

  private static void notifyRequesters(
      DecisionBuilder draft, CheckpointFact.CheckpointSaved saved) {
    Preemption.checkpointSaved(draft, saved);
    ElasticScaleUp.checkpointSaved(draft, saved);
  }

  /**
   * Records where a start resumes. The decision was made when the first task of that start asked,
   * so the start may be over by now.
   */
  static void resumePointChosen(DecisionBuilder draft, ResumePointChosen event) {
    JobState state = draft.state();
    boolean alreadyChosen =
        event.fact().task() == null && state.gang().checkpoints().resumedFrom() != null;
    if (event.session() == state.session() && !alreadyChosen) {
      draft.record(event.fact());
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
