package io.tony.am.scheduler;

import io.tony.am.machine.LaunchPort;
import io.tony.model.TaskKey;

/** Starts executors, and knows those that an earlier ApplicationMaster has started. */
public interface Launcher extends LaunchPort, AutoCloseable {
  /**
   * Takes over the container of a task that an earlier ApplicationMaster launched, so that it can
   * be stopped and its end is told as the task's. Also tells which attempt of its task a container
   * of this one is for by now. False when the container is gone.
   */
  boolean adopt(TaskKey key);

  @Override
  void close();
}
