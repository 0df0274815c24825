package io.tony.client.follow;

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
  private String resumed = "";

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
      resumed = fact.from().kept();
      whole = Map.of();
    }
  }

  /** URI of the chief's; empty where there is none. */
  String of(TaskId chief) {
    return whole.getOrDefault(chief, whole.isEmpty() ? resumed : "");
  }
}
