package io.tony.am.machine;

import io.tony.fact.CheckpointFact;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which checkpoints there are of the tasks together. Immutable.
 *
 * @param chosen from which the gang's present start goes on, or why from none; null where that was
 *     not told
 * @param whole name of the newest set with a checkpoint of every task that keeps one; empty where
 *     there is none
 * @param number of that set; {@link #NO_NUMBER} where there is none
 * @param parts of the newer sets: the tasks that are in them, by their places in the table
 * @param keepers the tasks that have kept any
 * @param resumed names of the sets that tasks go on from which start by themselves, in the gang's
 *     present start: they may be reading them
 */
record KeptSets(
    CheckpointFact.Resumes chosen,
    String whole,
    long number,
    Map<String, BitSet> parts,
    BitSet keepers,
    Set<String> resumed) {
  static final long NO_NUMBER = -1;
  static final KeptSets NONE = new KeptSets(null, "", NO_NUMBER, Map.of(), new BitSet(), Set.of());

  KeptSets {
    parts = Collections.unmodifiableMap(parts);
    resumed = Set.copyOf(resumed);
  }

  /** False where it is known already, and where a newer set is whole. */
  boolean lacks(CheckpointFact.Kept fact, int place) {
    BitSet there = parts.get(fact.set());
    return fact.set().compareTo(whole) > 0 && (there == null || !there.get(place));
  }

  /** Whether the set is whole with this one, which it lacks. */
  boolean isCompletedBy(CheckpointFact.Kept fact) {
    BitSet there = parts.get(fact.set());
    return (there == null ? 0 : there.cardinality()) + 1 >= fact.tasks();
  }

  /** Whether with this one, which it lacks, the oldest set is not waited for any more. */
  boolean overflowsWith(CheckpointFact.Kept fact) {
    return parts.size() >= CheckpointPort.MOST_PARTS && !parts.containsKey(fact.set());
  }

  /**
   * That of the newest whole set, for a task that has kept any: how far others come says nothing of
   * one that starts by itself.
   */
  long numberOf(int place) {
    return keepers.get(place) ? number : NO_NUMBER;
  }

  KeptSets with(CheckpointFact.Kept fact, int place) {
    TreeMap<String, BitSet> next = new TreeMap<>(parts);
    BitSet all = (BitSet) keepers.clone();
    all.set(place);
    if (fact.whole()) {
      next.headMap(fact.set(), true).clear();
      return new KeptSets(chosen, fact.set(), fact.number(), next, all, resumed);
    }
    BitSet there = (BitSet) next.getOrDefault(fact.set(), new BitSet()).clone();
    there.set(place);
    next.put(fact.set(), there);
    if (next.size() > CheckpointPort.MOST_PARTS) {
      next.pollFirstEntry();
    }
    return new KeptSets(chosen, whole, number, next, all, resumed);
  }

  /** The present start of the gang goes on from there. */
  KeptSets with(CheckpointFact.Resumes choice) {
    CheckpointFact.Source from = choice.from();
    return from == null || from.set().compareTo(whole) <= 0
        ? new KeptSets(choice, whole, number, parts, keepers, resumed)
        : new KeptSets(choice, from.set(), from.number(), parts, keepers, resumed);
  }

  /** A task that starts by itself goes on from there. Many go on from the same. */
  KeptSets withLone(CheckpointFact.Resumes choice) {
    if (choice.from() == null || resumed.contains(choice.from().set())) {
      return this;
    }
    Set<String> next = new HashSet<>(resumed);
    next.add(choice.from().set());
    return new KeptSets(chosen, whole, number, parts, keepers, next);
  }

  /** The tasks have other places in the table: whose part was whose is not known any more. */
  KeptSets inAnotherTable() {
    return new KeptSets(chosen, whole, number, Map.of(), new BitSet(), resumed);
  }

  /** The gang is started again: from where is open. */
  KeptSets startedAgain() {
    return new KeptSets(null, whole, number, parts, keepers, Set.of());
  }
}
