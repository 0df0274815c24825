package io.tony.am.machine;

import io.tony.model.TaskKey;

/** Starts and ends executors in their containers. Failures come as events; no call waits. */
public interface LaunchPort {
  void launch(TaskKey key);

  /** The container is another task's from now on. */
  void move(TaskKey to);

  void stop(TaskKey key);
}
