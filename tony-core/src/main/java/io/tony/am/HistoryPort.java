package io.tony.am;

import io.tony.model.JobEvent;
import java.util.List;

/** Takes the facts of the job, in order: for the event log and for those who watch. */
@FunctionalInterface
public interface HistoryPort {
  /** What one decision makes known; a later ApplicationMaster finds all of it or nothing. */
  void record(List<JobEvent> decision);
}
