package io.tony.client.api;

import io.tony.model.JobEvent;

/**
 * Receives the events and the log lines of one job. {@link #event} is called by the thread that
 * follows the job. {@link #line} is also called by threads that submit or kill the job or renew its
 * tokens, but never by two threads at a time. Methods should return quickly, because the calling
 * thread waits for them, and should not throw: after an exception, the client may stop following
 * the job, so that {@link TonyJob#result} completes exceptionally. The job itself continues.
 *
 * <p>Example:
 *
 * <pre>{@code
 * JobListener printer =
 *     new JobListener() {
 *       public void line(String line) {
 *         System.out.println(line);
 *       }
 *     };
 * }</pre>
 */
public interface JobListener {
  /** A listener that ignores all events and lines. */
  JobListener NONE = new JobListener() {};

  /**
   * Called for each event of the job, in order: first {@code JOB_SUBMITTED}, then the events of the
   * job's event log; {@code JOB_FINISHED} is last. The details of each type are described in
   * docs/event-log.md. An event lacks its detail {@code stderr} if, with it, the stderr in all
   * events of the job together would exceed 1,048,576 characters. The same limit applies separately
   * to the details {@code output.KEY}. {@code JOB_DESCRIBED} does not contain the job's options. An
   * event whose type this version does not know is {@code UNKNOWN}.
   *
   * @param event never null
   */
  default void event(JobEvent event) {}

  /**
   * Called for each line that {@code tony submit} would print for users.
   *
   * @param line without a line break; never null
   */
  default void line(String line) {}
}
