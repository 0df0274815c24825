package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.util.List;

/**
 * Receives the events of the job, in order, for the event log and for the clients that follow the
 * job.
 */
public interface Journal {
  /**
   * Records the events of one decision; a later ApplicationMaster reads either all of these events
   * or none.
   */
  void record(List<JobEvent> decision);

  /**
   * Runs {@code step} in another thread once everything recorded before is durable, so that the
   * effect of a decision never becomes visible while the decision may still be lost. Never runs the
   * step if a later ApplicationMaster has taken over the job.
   */
  void runWhenDurable(Runnable step);
}
