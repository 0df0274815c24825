package io.tony.am;

import io.tony.am.machine.Action.StartTask;
import io.tony.model.TaskKey;

/** Tells executors what to do. Each is told as soon as it asks; no call waits. */
public interface TaskPort {
  void start(StartTask start);

  /** The executor of this attempt is to end its process and register as the given one. */
  void restart(TaskKey from, int attempt, String reason);

  void stop(TaskKey key, String reason);
}
