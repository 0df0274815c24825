package io.tony.client.follow;

import io.tony.checkpoint.Manifest;
import io.tony.event.CheckpointFact;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Tracks the newest checkpoint from which a whole gang can resume. */
final class LatestCheckpoint {
  /**
   * Maximum number of incomplete checkpoint sets remembered; an older set will not be completed,
   * because some task has not saved its part.
   */
  private static final int MAX_SETS = 16;

  /**
   * URIs of the parts in incomplete sets, by set name and task; only of tasks with index 0, which
   * may be the chief.
   */
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

  /**
   * Discards the newer checkpoints, which can no longer be used, when the gang resumes from an
   * earlier one.
   */
  void onResumed(CheckpointFact.ResumeDecision fact) {
    if (fact.task() == null && fact.from() != null) {
      resumedFrom = fact.from();
      completeSet = Map.of();
    }
  }

  /** Returns the URI of the chief's checkpoint; empty if there is none, or the chief saves none. */
  String of(TaskId chief) {
    return completeSet.getOrDefault(
        chief, completeSet.isEmpty() && isResumed(chief) ? resumedFrom.uri() : "");
  }

  /**
   * Returns whether the checkpoint from which the gang resumed contains the chief's part. If the
   * chief saves none, the event has the URI of another task's part.
   */
  private boolean isResumed(TaskId chief) {
    return resumedFrom != null
        && resumedFrom
            .uri()
            .contains("/" + resumedFrom.set() + "/" + Manifest.folderOf(chief) + "/");
  }
}
