package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.util.List;

/**
 * Receives the events of the job, in order, for the event log and for clients that follow the job.
 */
public interface Journal {
  /** Records the events of one decision. A later ApplicationMaster reads all of them or none. */
  void record(List<JobEvent> decision);

  /**
   * Runs {@code step} in another thread once everything recorded before is durable, so that no
   * consequence of a fact becomes visible when the fact may still be lost. Never runs the step if a
   * later ApplicationMaster has taken over the job.
   */
  void runWhenDurable(Runnable step);
}
