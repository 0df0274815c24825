package io.tony.am.machine;

import io.tony.event.CheckpointFact;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The known checkpoints of all tasks. Immutable.
 *
 * @param resumedFrom the decision where the gang's current start resumes, or why it starts from
 *     scratch; null if not known
 * @param newestCompleteSet name of the newest set with a checkpoint of every task that saves any;
 *     empty if none
 * @param newestNumber number of {@code newestCompleteSet}; {@link #NO_NUMBER} if none
 * @param partialSets for each newer, incomplete set: the tasks in it, by position in the task table
 * @param savingTasks the tasks that have saved any checkpoint, by position in the task table
 * @param setsResumedAlone names of the sets that individually restarted tasks resume from, in the
 *     gang's current start; these tasks may still be reading the sets
 */
record CheckpointState(
    CheckpointFact.ResumeDecision resumedFrom,
    String newestCompleteSet,
    long newestNumber,
    Map<String, BitSet> partialSets,
    BitSet savingTasks,
    Set<String> setsResumedAlone) {
  static final long NO_NUMBER = -1;
  static final CheckpointState NONE =
      new CheckpointState(null, "", NO_NUMBER, Map.of(), new BitSet(), Set.of());

  CheckpointState {
    partialSets = Collections.unmodifiableMap(partialSets);
    setsResumedAlone = Set.copyOf(setsResumedAlone);
  }

  /** Returns false if the checkpoint is already known or a newer or equal set is complete. */
  boolean isNew(CheckpointFact.CheckpointSaved fact, int position) {
    BitSet savedTasks = partialSets.get(fact.set());
    return fact.set().compareTo(newestCompleteSet) > 0
        && (savedTasks == null || !savedTasks.get(position));
  }

  /** Returns true if the set is complete once this checkpoint is added. Requires {@link #isNew}. */
  boolean isCompletedBy(CheckpointFact.CheckpointSaved fact) {
    BitSet savedTasks = partialSets.get(fact.set());
    return (savedTasks == null ? 0 : savedTasks.cardinality()) + 1 >= fact.taskCount();
  }

  /**
   * Returns true if adding this checkpoint drops the oldest incomplete set. Requires {@link
   * #isNew}.
   */
  boolean overflowsWith(CheckpointFact.CheckpointSaved fact) {
    return partialSets.size() >= CheckpointPort.MAX_PARTIAL_SETS
        && !partialSets.containsKey(fact.set());
  }

  /**
   * Returns the number of the newest complete set; {@link #NO_NUMBER} for a task that has saved no
   * checkpoint, because the progress of the others says nothing about a task that restarts alone.
   */
  long newestNumberFor(int position) {
    return savingTasks.get(position) ? newestNumber : NO_NUMBER;
  }

  CheckpointState with(CheckpointFact.CheckpointSaved fact, int position) {
    TreeMap<String, BitSet> next = new TreeMap<>(partialSets);
    BitSet nextSavingTasks = (BitSet) savingTasks.clone();
    nextSavingTasks.set(position);
    if (fact.completesSet()) {
      next.headMap(fact.set(), true).clear();
      return new CheckpointState(
          resumedFrom, fact.set(), fact.number(), next, nextSavingTasks, setsResumedAlone);
    }
    BitSet savedTasks = (BitSet) next.getOrDefault(fact.set(), new BitSet()).clone();
    savedTasks.set(position);
    next.put(fact.set(), savedTasks);
    if (next.size() > CheckpointPort.MAX_PARTIAL_SETS) {
      next.pollFirstEntry();
    }
    return new CheckpointState(
        resumedFrom, newestCompleteSet, newestNumber, next, nextSavingTasks, setsResumedAlone);
  }

  /** Returns a copy in which the gang's current start resumes as decided. */
  CheckpointState with(CheckpointFact.ResumeDecision resume) {
    CheckpointFact.SourceCheckpoint from = resume.from();
    return from == null || from.set().compareTo(newestCompleteSet) <= 0
        ? new CheckpointState(
            resume, newestCompleteSet, newestNumber, partialSets, savingTasks, setsResumedAlone)
        : new CheckpointState(
            resume, from.set(), from.number(), partialSets, savingTasks, setsResumedAlone);
  }

  /**
   * Returns a copy in which an individually restarted task resumes as decided. Several tasks may
   * resume from one set.
   */
  CheckpointState withResumedAlone(CheckpointFact.ResumeDecision resume) {
    if (resume.from() == null || setsResumedAlone.contains(resume.from().set())) {
      return this;
    }
    Set<String> next = new HashSet<>(setsResumedAlone);
    next.add(resume.from().set());
    return new CheckpointState(
        resumedFrom, newestCompleteSet, newestNumber, partialSets, savingTasks, next);
  }

  /**
   * Returns a copy without task positions, because they change with the gang's size. The incomplete
   * sets are dropped.
   */
  CheckpointState afterResize() {
    return new CheckpointState(
        resumedFrom, newestCompleteSet, newestNumber, Map.of(), new BitSet(), setsResumedAlone);
  }

  /** Returns a copy for a restarted gang: the decision where to resume is not made yet. */
  CheckpointState afterRestart() {
    return new CheckpointState(
        null, newestCompleteSet, newestNumber, partialSets, savingTasks, Set.of());
  }
}
