package io.tony.am.machine;

import io.tony.model.TaskKey;

/** Starts and ends executors in their containers. Failures come as events; no call waits. */
public interface LaunchPort {
  void launch(TaskKey key);

  void stop(TaskKey key);
}
