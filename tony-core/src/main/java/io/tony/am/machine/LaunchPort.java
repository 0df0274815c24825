package io.tony.am.machine;

import io.tony.model.TaskKey;

/** Starts and ends executors in their containers. Failures arrive as events; no method blocks. */
public interface LaunchPort {
  void launch(TaskKey key);

  /** Assigns the container of {@code to} to that task from now on. */
  void move(TaskKey to);

  void stop(TaskKey key);
}
