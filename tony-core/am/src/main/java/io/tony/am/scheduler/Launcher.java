package io.tony.am.scheduler;

import io.tony.am.machine.LaunchPort;
import io.tony.model.TaskKey;

/**
 * Starts executors in containers, and takes over executors that an earlier ApplicationMaster
 * started.
 */
public interface Launcher extends LaunchPort, AutoCloseable {
  /**
   * Assigns a running container to this task attempt: one that an earlier ApplicationMaster
   * launched, or one whose task starts another attempt in it. From then on, the container can be
   * stopped, and its end is reported as the attempt's. Returns false if the container has ended.
   */
  boolean adopt(TaskKey key);

  @Override
  void close();
}
