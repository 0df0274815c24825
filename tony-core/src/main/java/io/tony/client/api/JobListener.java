package io.tony.client.api;

import io.tony.model.JobEvent;

/**
 * Is told of one job as it goes on, by the thread that follows it: whatever takes long here delays
 * what comes next, and what is thrown ends the following. The job itself goes on either way.
 */
public interface JobListener {
  /** Nobody listens. */
  JobListener NONE = new JobListener() {};

  /**
   * What happened, in order: the lines of the job's event log, with {@code JOB_SUBMITTED} before
   * the first and {@code JOB_FINISHED} as the last. Which details each type has is in
   * docs/event-log.md; of what programs printed or left as outputs there is a mebibyte at most. A
   * type that this version does not know is {@code UNKNOWN}.
   */
  default void event(JobEvent event) {}

  /** A line for a person, as {@code tony submit} prints it. */
  default void line(String line) {}
}
