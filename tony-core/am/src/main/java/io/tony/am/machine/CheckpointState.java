package io.tony.am.machine;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.tony.event.CheckpointFact;
import io.tony.event.CheckpointFact.ResumeDecision;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What decisions need to know about the checkpoints that the tasks have reported. Immutable. A
 * "position" is a task's position in the {@link TaskTable}.
 *
 * @param resumedFrom the decision on where the current start of the gang resumes, which may be from
 *     scratch; null if not made yet
 * @param newestCompleteSet name of the newest checkpoint set that contains a checkpoint of every
 *     task that saves checkpoints; empty if none
 * @param newestNumber number of {@code newestCompleteSet}; {@link #NO_NUMBER} if none
 * @param partialSets incomplete sets newer than {@code newestCompleteSet}: positions of the tasks
 *     with a checkpoint in the set, by name of the set
 * @param savingTasks positions of the tasks that have saved a checkpoint since the gang's last
 *     change of size
 * @param setsResumedAlone names of the sets from which tasks that restarted alone have resumed
 *     since the gang's last start; these tasks may still be reading the sets
 */
@RecordBuilder
record CheckpointState(
    @Nullable ResumeDecision resumedFrom,
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

  /**
   * Returns true if this checkpoint belongs to a set newer than {@code newestCompleteSet} and was
   * not reported before.
   *
   * @param position position of the task that saved the checkpoint
   */
  boolean isNew(CheckpointFact.CheckpointSaved fact, int position) {
    BitSet savedTasks = partialSets.get(fact.set());
    return fact.set().compareTo(newestCompleteSet) > 0
        && (savedTasks == null || !savedTasks.get(position));
  }

  /**
   * Returns true if this checkpoint completes its set: the set then contains the checkpoints of all
   * tasks that save checkpoints. Requires that {@link #isNew} returns true.
   */
  boolean isCompletedBy(CheckpointFact.CheckpointSaved fact) {
    BitSet savedTasks = partialSets.get(fact.set());
    return (savedTasks == null ? 0 : savedTasks.cardinality()) + 1 >= fact.taskCount();
  }

  /**
   * Returns true if {@code fact} begins a set and the maximum number of incomplete sets is already
   * reached. Unless {@code fact} completes its set, {@link #with(CheckpointFact.CheckpointSaved,
   * int)} then drops the oldest one. Call only if {@link #isNew} returns true for {@code fact}.
   */
  boolean exceedsMaxPartialSets(CheckpointFact.CheckpointSaved fact) {
    return partialSets.size() >= CheckpointPort.MAX_PARTIAL_SETS
        && !partialSets.containsKey(fact.set());
  }

  /**
   * Returns the number of the newest complete set if the task has saved a checkpoint since the
   * gang's last change of size; {@link #NO_NUMBER} otherwise, because the checkpoints of other
   * tasks do not show that a task that restarts alone has made progress.
   *
   * @param position position of the task
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
      return toBuilder()
          .newestCompleteSet(fact.set())
          .newestNumber(fact.number())
          .partialSets(next)
          .savingTasks(nextSavingTasks)
          .build();
    }
    BitSet savedTasks = (BitSet) next.getOrDefault(fact.set(), new BitSet()).clone();
    savedTasks.set(position);
    next.put(fact.set(), savedTasks);
    if (next.size() > CheckpointPort.MAX_PARTIAL_SETS) {
      next.pollFirstEntry();
    }
    return toBuilder().partialSets(next).savingTasks(nextSavingTasks).build();
  }

  /**
   * Returns a copy with this decision on where the gang's current start resumes. If the decision
   * names a newer set than {@code newestCompleteSet}, that set replaces it.
   */
  CheckpointState with(ResumeDecision resume) {
    CheckpointFact.SourceCheckpoint from = resume.from();
    return from == null || from.set().compareTo(newestCompleteSet) <= 0
        ? new CheckpointState(
            resume, newestCompleteSet, newestNumber, partialSets, savingTasks, setsResumedAlone)
        : new CheckpointState(
            resume, from.set(), from.number(), partialSets, savingTasks, setsResumedAlone);
  }

  /**
   * Returns a copy that notes from which set a task that restarted alone resumes. Returns this
   * object if the task starts from scratch or the set is already noted.
   */
  CheckpointState withResumedAlone(ResumeDecision resume) {
    if (resume.from() == null || setsResumedAlone.contains(resume.from().set())) {
      return this;
    }
    Set<String> next = new HashSet<>(setsResumedAlone);
    next.add(resume.from().set());
    return toBuilder().setsResumedAlone(next).build();
  }

  /**
   * Returns a copy for a gang whose size has changed. Drops the incomplete sets and {@code
   * savingTasks}, because the tasks' positions have changed.
   */
  CheckpointState afterResize() {
    return toBuilder().partialSets(Map.of()).savingTasks(new BitSet()).build();
  }

  /**
   * Returns a copy for the gang's next start, as long as it is not decided where that start
   * resumes. Drops {@code setsResumedAlone}.
   */
  CheckpointState afterRestart() {
    return toBuilder().resumedFrom(null).setsResumedAlone(Set.of()).build();
  }

  private CheckpointStateBuilder toBuilder() {
    return CheckpointStateBuilder.toBuilder(this);
  }
}
