package io.tony.am.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this ApplicationMaster knows of the tasks that keep checkpoints without asking the file
 * system. For use by several threads.
 */
final class CheckpointReports {
  private final Map<TaskId, CheckpointName> newest = new ConcurrentHashMap<>();
  private final Map<TaskId, Integer> attempts = new ConcurrentHashMap<>();

  void recordStart(TaskKey key) {
    attempts.merge(key.task(), key.attempt(), Math::max);
  }

  /** Its newest; 0 where this ApplicationMaster has started none. */
  int attempt(TaskId task) {
    return attempts.getOrDefault(task, 0);
  }

  /** Its executor says so. */
  void recordSaved(TaskId task, CheckpointName set) {
    newest.merge(task, set, (one, other) -> one.compareTo(other) > 0 ? one : other);
  }

  /** The newest set that has one of the task; nothing where that is not known. */
  Optional<CheckpointName> newest(TaskId task) {
    return Optional.ofNullable(newest.get(task));
  }

  /** The newest number that the task has used in a start of the gang; 0 where none is known. */
  long lastNumber(TaskId task, String generation) {
    return newest(task)
        .filter(set -> set.generation().equals(generation))
        .map(CheckpointName::number)
        .orElse(0L);
  }
}
