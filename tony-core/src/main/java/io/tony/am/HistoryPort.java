package io.tony.am;

import io.tony.model.JobEvent;

/** Takes the facts of the job, in order: for the event log and for those who watch. */
@FunctionalInterface
public interface HistoryPort {
  void record(JobEvent event);
}
