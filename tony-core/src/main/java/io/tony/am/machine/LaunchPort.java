package io.tony.am.machine;

import io.tony.model.TaskKey;

/**
 * Starts executors in containers, and stops containers. Failures arrive as events; no method
 * blocks.
 */
public interface LaunchPort {
  void launch(TaskKey key);

  /** Notes that the executor in the container of {@code to} runs that task from now on. */
  void move(TaskKey to);

  void stop(TaskKey key);
}
