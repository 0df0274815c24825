package io.tony.am.machine;

import io.tony.event.CheckpointFact;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which checkpoints there are of the tasks together. Immutable.
 *
 * @param resumedFrom from which the gang's present start goes on, or why from none; null where that
 *     was not told
 * @param newestCompleteSet name of the newest set with a checkpoint of every task that keeps one;
 *     empty where there is none
 * @param newestNumber of that set; {@link #NO_NUMBER} where there is none
 * @param partialSets of the newer sets: the tasks that are in them, by their places in the table
 * @param savingTasks the tasks that have kept any
 * @param setsResumedAlone names of the sets that tasks go on from which start by themselves, in the
 *     gang's present start: they may be reading them
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

  /** False where it is known already, and where a newer set is whole. */
  boolean isNew(CheckpointFact.CheckpointSaved fact, int position) {
    BitSet savedTasks = partialSets.get(fact.set());
    return fact.set().compareTo(newestCompleteSet) > 0
        && (savedTasks == null || !savedTasks.get(position));
  }

  /** Whether the set is whole with this one, which it lacks. */
  boolean isCompletedBy(CheckpointFact.CheckpointSaved fact) {
    BitSet savedTasks = partialSets.get(fact.set());
    return (savedTasks == null ? 0 : savedTasks.cardinality()) + 1 >= fact.taskCount();
  }

  /** Whether with this one, which it lacks, the oldest set is not waited for any more. */
  boolean overflowsWith(CheckpointFact.CheckpointSaved fact) {
    return partialSets.size() >= CheckpointPort.MAX_PARTIAL_SETS
        && !partialSets.containsKey(fact.set());
  }

  /**
   * That of the newest whole set, for a task that has kept any: how far others come says nothing of
   * one that starts by itself.
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

  /** The present start of the gang goes on from there. */
  CheckpointState with(CheckpointFact.ResumeDecision resume) {
    CheckpointFact.SourceCheckpoint from = resume.from();
    return from == null || from.set().compareTo(newestCompleteSet) <= 0
        ? new CheckpointState(
            resume, newestCompleteSet, newestNumber, partialSets, savingTasks, setsResumedAlone)
        : new CheckpointState(
            resume, from.set(), from.number(), partialSets, savingTasks, setsResumedAlone);
  }

  /** A task that starts by itself goes on from there. Many go on from the same. */
  CheckpointState withResumedAlone(CheckpointFact.ResumeDecision resume) {
    if (resume.from() == null || setsResumedAlone.contains(resume.from().set())) {
      return this;
    }
    Set<String> next = new HashSet<>(setsResumedAlone);
    next.add(resume.from().set());
    return new CheckpointState(
        resumedFrom, newestCompleteSet, newestNumber, partialSets, savingTasks, next);
  }

  /** The tasks have other places in the table: whose part was whose is not known any more. */
  CheckpointState afterResize() {
    return new CheckpointState(
        resumedFrom, newestCompleteSet, newestNumber, Map.of(), new BitSet(), setsResumedAlone);
  }

  /** The gang is started again: from where is open. */
  CheckpointState afterRestart() {
    return new CheckpointState(
        null, newestCompleteSet, newestNumber, partialSets, savingTasks, Set.of());
  }
}
