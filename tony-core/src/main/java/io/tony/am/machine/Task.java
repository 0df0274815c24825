package io.tony.am.machine;

import io.tony.model.Endpoint;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;

/**
 * What the machine knows of one task in the present attempt of the gang. {@code container}, {@code
 * node} and {@code log} are empty before the allocation, {@code endpoint} is null before the
 * registration.
 */
public record Task(
    TaskId id,
    TaskState state,
    String container,
    String node,
    String log,
    Endpoint endpoint,
    int tensorBoardPort) {

  static Task waiting(TaskId id) {
    return new Task(id, TaskState.WAITING, "", "", "", null, 0);
  }

  Task in(TaskState next) {
    return new Task(id, next, container, node, log, endpoint, tensorBoardPort);
  }

  Task allocated(String container, String node, String log) {
    return new Task(id, TaskState.LAUNCHING, container, node, log, null, 0);
  }

  Task registered(Endpoint endpoint, int tensorBoardPort) {
    return new Task(id, TaskState.REGISTERED, container, node, log, endpoint, tensorBoardPort);
  }

  TaskKey key(int session) {
    return new TaskKey(id, session, container);
  }
}
