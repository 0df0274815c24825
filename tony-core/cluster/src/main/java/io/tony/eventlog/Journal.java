package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.util.List;

/**
 * Receives the events of the job, in order, and passes them to the event log and to the clients
 * that follow the job.
 */
public interface Journal {
  /**
   * Records the events of one decision; a later ApplicationMaster reads either all of these events
   * or none.
   */
  void record(List<JobEvent> decision);

  /**
   * Runs {@code step} in another thread once all events recorded before this call are durable. So
   * no other process sees the effect of a decision that may still be lost. Never runs the step if a
   * later ApplicationMaster has taken over the job.
   */
  void runWhenDurable(Runnable step);
}
