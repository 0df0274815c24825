package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Saved checkpoints and attempt numbers of the tasks that save checkpoints. Knows only what
 * executors have reported and never reads the file system. Thread-safe.
 */
final class CheckpointReports {
  private final Map<TaskId, CheckpointName> newest = new ConcurrentHashMap<>();
  private final Map<TaskId, Integer> attempts = new ConcurrentHashMap<>();

  void recordStart(TaskKey key) {
    attempts.merge(key.task(), key.attempt(), Math::max);
  }

  /**
   * Returns the number of the task's newest attempt; 0 if this ApplicationMaster has started none.
   */
  int attempt(TaskId task) {
    return attempts.getOrDefault(task, 0);
  }

  /** Records an executor's report that it has saved the task's checkpoint in this set. */
  void recordSaved(TaskId task, CheckpointName set) {
    newest.merge(task, set, (one, other) -> one.compareTo(other) > 0 ? one : other);
  }

  /** Returns the newest set in which the task has reported a checkpoint; empty if there is none. */
  Optional<CheckpointName> newest(TaskId task) {
    return Optional.ofNullable(newest.get(task));
  }

  /**
   * Returns the highest number of the checkpoints that the task has reported in this generation
   * (one start of the gang); 0 if none.
   */
  long lastNumber(TaskId task, String generation) {
    return newest(task)
        .filter(set -> set.generation().equals(generation))
        .map(CheckpointName::number)
        .orElse(0L);
  }
}
