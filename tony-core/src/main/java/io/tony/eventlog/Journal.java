package io.tony.eventlog;

import io.tony.model.JobEvent;
import java.util.List;

/** Takes the facts of the job, in order: for the event log and for those who watch. */
public interface Journal {
  /** What one decision makes known; a later ApplicationMaster finds all of it or nothing. */
  void record(List<JobEvent> decision);

  /**
   * Does something, on another thread, once all that was recorded before is safe: nobody is to know
   * what follows from a fact that may yet be lost. Never, when a later ApplicationMaster has the
   * job.
   */
  void runWhenDurable(Runnable step);
}
