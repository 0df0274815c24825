package io.tony.am.machine;

import io.tony.model.TaskKey;

/**
 * Starts executors in containers, and stops containers with their executors. Failures arrive as
 * events; no method blocks.
 */
public interface LaunchPort {
  void launch(TaskKey key);

  /**
   * Notes that the executor in the container of {@code to} runs the task and attempt of {@code to}
   * from now on. Sends nothing to the executor.
   */
  void move(TaskKey to);

  void stop(TaskKey key);
}
