package io.tony.am;

import io.tony.model.ClusterSpec;
import io.tony.model.TaskKey;

/** Tells executors what to do. Each is told as soon as it asks; no call waits. */
public interface TaskPort {
  void start(TaskKey key, ClusterSpec cluster, int tensorBoardPort);

  void stop(TaskKey key, String reason);
}
