package io.tony.am.machine;

import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.Map;

/**
 * The losses of one kind since every executor was there last. What takes a node away, or a burst of
 * preemptions, takes many tasks together: the job does not pay for each of them, but once for each
 * time that the most-often-lost one was lost.
 *
 * @param losses how often each task was lost
 * @param charges how often the job has paid
 */
record Incident(Map<TaskId, Integer> losses, int charges) {
  static final Incident NONE = new Incident(Map.of(), 0);

  Incident {
    losses = Map.copyOf(losses);
  }

  /** Whether one more loss of the task is paid for. */
  boolean covers(TaskId task) {
    return losses.getOrDefault(task, 0) < charges;
  }

  Incident paid(TaskId task) {
    return new Incident(withLoss(task), charges + 1);
  }

  Incident covering(TaskId task) {
    return new Incident(withLoss(task), charges);
  }

  private Map<TaskId, Integer> withLoss(TaskId task) {
    Map<TaskId, Integer> next = new HashMap<>(losses);
    next.merge(task, 1, Integer::sum);
    return next;
  }
}
