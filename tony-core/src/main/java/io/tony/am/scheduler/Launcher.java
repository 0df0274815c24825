package io.tony.am.scheduler;

import io.tony.am.machine.LaunchPort;
import io.tony.model.TaskKey;

/** Starts executors, and manages those that an earlier ApplicationMaster has started. */
public interface Launcher extends LaunchPort, AutoCloseable {
  /**
   * Takes over the container of a task that an earlier ApplicationMaster launched: the container
   * can then be stopped, and its end is reported as the task's. Also reassigns a container to
   * another attempt of its task. Returns false if the container has ended.
   */
  boolean adopt(TaskKey key);

  @Override
  void close();
}
