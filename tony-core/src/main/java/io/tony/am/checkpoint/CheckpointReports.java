package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checkpoints and attempts of the owners, from executors' reports only; never reads the file
 * system. Thread-safe.
 */
final class CheckpointReports {
  private final Map<TaskId, CheckpointName> newest = new ConcurrentHashMap<>();
  private final Map<TaskId, Integer> attempts = new ConcurrentHashMap<>();

  void recordStart(TaskKey key) {
    attempts.merge(key.task(), key.attempt(), Math::max);
  }

  /** Returns the task's newest attempt; 0 if this ApplicationMaster has started none. */
  int attempt(TaskId task) {
    return attempts.getOrDefault(task, 0);
  }

  /** Records an executor's report that the task's checkpoint in this set is saved. */
  void recordSaved(TaskId task, CheckpointName set) {
    newest.merge(task, set, (one, other) -> one.compareTo(other) > 0 ? one : other);
  }

  /** Returns the newest set with a reported checkpoint of the task; empty if none was reported. */
  Optional<CheckpointName> newest(TaskId task) {
    return Optional.ofNullable(newest.get(task));
  }

  /**
   * Returns the highest checkpoint number that the task has reported in a start of the gang; 0 if
   * none.
   */
  long lastNumber(TaskId task, String generation) {
    return newest(task)
        .filter(set -> set.generation().equals(generation))
        .map(CheckpointName::number)
        .orElse(0L);
  }
}
