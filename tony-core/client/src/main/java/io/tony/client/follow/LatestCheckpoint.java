package io.tony.client.follow;

import io.tony.checkpoint.Manifest;
import io.tony.event.CheckpointFact;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds, from a job's events, the newest checkpoint from which the whole gang can resume: one of
 * which every task has saved its part.
 */
final class LatestCheckpoint {
  /**
   * Maximum number of incomplete checkpoint sets that are remembered. The oldest are dropped,
   * because they are not expected to be completed any more.
   */
  private static final int MAX_SETS = 16;

  /**
   * URIs of the parts in incomplete checkpoint sets, by set name and task. Only parts of tasks with
   * index 0, because only these tasks can be the chief.
   */
  private final TreeMap<String, Map<TaskId, String>> sets = new TreeMap<>();

  private Map<TaskId, String> completeSet = Map.of();
  // Checkpoint from which the whole gang resumed last; null if it did not resume from any.
  private CheckpointFact.@Nullable SourceCheckpoint resumedFrom;

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
   * Records that the whole gang has resumed from a checkpoint. Other complete checkpoints seen so
   * far are forgotten, because the gang does not resume from them any more. Ignores a task that
   * resumes alone, and a start from scratch.
   */
  void onResumed(CheckpointFact.ResumeDecision fact) {
    if (fact.task() == null && fact.from() != null) {
      resumedFrom = fact.from();
      completeSet = Map.of();
    }
  }

  /**
   * Returns the URI of the chief's part of the newest complete checkpoint; empty if there is no
   * such checkpoint, or the chief saves no part.
   */
  String of(TaskId chief) {
    return completeSet.getOrDefault(chief, completeSet.isEmpty() ? resumedUri(chief) : "");
  }

  /**
   * Returns the URI of the chief's part from the gang's last resume event; empty if the event
   * contains the URI of another task's part, because the chief saves none, or if there is no such
   * event.
   */
  private String resumedUri(TaskId chief) {
    if (resumedFrom == null) {
      return "";
    }
    String uri = resumedFrom.uri();
    return uri.contains("/" + resumedFrom.set() + "/" + Manifest.folderOf(chief) + "/") ? uri : "";
  }
}
