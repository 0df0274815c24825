package io.tony.am.machine;

import io.tony.am.machine.Action.DropOldCheckpoints;
import io.tony.am.machine.Event.CheckpointChosen;
import io.tony.am.machine.Event.CheckpointTold;
import io.tony.fact.CheckpointFact;

/**
 * What is told of checkpoints: those that tasks have kept, and the one that a gang goes on from.
 */
final class Keeping {
  private Keeping() {}

  /** By an executor, of the task's present attempt or of one before: what is kept stays kept. */
  static void told(Draft draft, CheckpointTold event) {
    CheckpointFact fact = event.fact();
    TaskTable tasks = draft.state().tasks();
    if (!tasks.contains(fact.task())) {
      return;
    }
    if (fact instanceof CheckpointFact.Kept kept) {
      KeptSets sets = draft.state().gang().kept();
      if (sets.lacks(kept, tasks.place(kept.task()))) {
        boolean whole = sets.isCompletedBy(kept);
        draft.record(kept.completing(whole));
        if (whole || sets.overflowsWith(kept)) {
          draft.act(new DropOldCheckpoints(whole));
        }
        answered(draft, kept.completing(whole));
      } else if (kept.set().equals(sets.whole())) {
        answered(draft, kept.completing(true)); // the program has nothing newer to keep
      }
    } else {
      draft.record(fact);
    }
  }

  private static void answered(Draft draft, CheckpointFact.Kept kept) {
    Preemption.kept(draft, kept);
    Growing.kept(draft, kept);
  }

  /** Chosen when the first task of a start asked; that start may be over by now. */
  static void chosen(Draft draft, CheckpointChosen event) {
    JobState state = draft.state();
    boolean told = event.fact().task() == null && state.gang().kept().chosen() != null;
    if (event.session() == state.session() && !told) {
      draft.record(event.fact());
    }
  }

  static JobState kept(JobState state, CheckpointFact.Kept fact) {
    KeptSets next = state.gang().kept().with(fact, state.tasks().place(fact.task()));
    return state.with(state.gang().with(next));
  }

  static JobState resumes(JobState state, CheckpointFact.Resumes fact) {
    KeptSets sets = state.gang().kept();
    return state.with(
        state.gang().with(fact.task() == null ? sets.with(fact) : sets.withLone(fact)));
  }
}
