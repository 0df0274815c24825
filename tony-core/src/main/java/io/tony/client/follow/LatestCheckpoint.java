package io.tony.client.follow;

import io.tony.checkpoint.Manifest;
import io.tony.event.CheckpointFact;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Where the newest checkpoint is that a whole gang could go on from. */
final class LatestCheckpoint {
  /** Of more sets, some task has kept none. */
  private static final int MAX_SETS = 16;

  /** By the names of sets, of tasks that may be the chief. */
  private final TreeMap<String, Map<TaskId, String>> sets = new TreeMap<>();

  private Map<TaskId, String> completeSet = Map.of();
  private CheckpointFact.SourceCheckpoint resumedFrom; // null for none

  void onSaved(CheckpointFact.CheckpointSaved fact) {
    Map<TaskId, String> taskUris = sets.computeIfAbsent(fact.set(), set -> new HashMap<>());
    if (fact.task().index() == 0) {
      taskUris.put(fact.task(), fact.uri());
    }
    if (fact.completesSet()) {
      completeSet = taskUris;
      sets.headMap(fact.set(), true).clear();
    } else if (sets.size() > MAX_SETS) {
      sets.pollFirstEntry();
    }
  }

  /** What is newer than the one that a gang goes on from cannot be used. */
  void onResumed(CheckpointFact.ResumeDecision fact) {
    if (fact.task() == null && fact.from() != null) {
      resumedFrom = fact.from();
      completeSet = Map.of();
    }
  }

  /** URI of the chief's; empty where there is none, or where the chief keeps none. */
  String of(TaskId chief) {
    return completeSet.getOrDefault(
        chief, completeSet.isEmpty() && isResumed(chief) ? resumedFrom.uri() : "");
  }

  /** Where the chief keeps none, what a gang goes on from is told by another task's. */
  private boolean isResumed(TaskId chief) {
    return resumedFrom != null
        && resumedFrom
            .uri()
            .contains("/" + resumedFrom.set() + "/" + Manifest.folderOf(chief) + "/");
  }
}
