package io.tony.client.follow;

import io.tony.checkpoint.Manifest;
import io.tony.fact.CheckpointFact;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Where the newest checkpoint is that a whole gang could go on from. */
final class LatestCheckpoint {
  /** Of more sets, some task has kept none. */
  private static final int MOST_SETS = 16;

  /** By the names of sets, of tasks that may be the chief. */
  private final TreeMap<String, Map<TaskId, String>> sets = new TreeMap<>();

  private Map<TaskId, String> whole = Map.of();
  private CheckpointFact.Source resumed; // null for none

  void kept(CheckpointFact.Kept fact) {
    Map<TaskId, String> there = sets.computeIfAbsent(fact.set(), set -> new HashMap<>());
    if (fact.task().index() == 0) {
      there.put(fact.task(), fact.kept());
    }
    if (fact.whole()) {
      whole = there;
      sets.headMap(fact.set(), true).clear();
    } else if (sets.size() > MOST_SETS) {
      sets.pollFirstEntry();
    }
  }

  /** What is newer than the one that a gang goes on from cannot be used. */
  void resumes(CheckpointFact.Resumes fact) {
    if (fact.task() == null && fact.from() != null) {
      resumed = fact.from();
      whole = Map.of();
    }
  }

  /** URI of the chief's; empty where there is none, or where the chief keeps none. */
  String of(TaskId chief) {
    return whole.getOrDefault(chief, whole.isEmpty() && isResumed(chief) ? resumed.kept() : "");
  }

  /** Where the chief keeps none, what a gang goes on from is told by another task's. */
  private boolean isResumed(TaskId chief) {
    return resumed != null
        && resumed.kept().contains("/" + resumed.set() + "/" + Manifest.folderOf(chief) + "/");
  }
}
