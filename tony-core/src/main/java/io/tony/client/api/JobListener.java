package io.tony.client.api;

import io.tony.model.JobEvent;

/**
 * Receives the progress of one job. {@link #event} is called by the thread that follows the job;
 * {@link #line} also by threads that submit or kill the job or renew its tokens, one call at a
 * time. Methods should return quickly, because they delay what comes next, and should not throw: an
 * exception may end the following, so that {@link TonyJob#result} fails. The job itself goes on in
 * either case.
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
  /** Ignores everything. */
  JobListener NONE = new JobListener() {};

  /**
   * Called for each event of the job, in order: {@code JOB_SUBMITTED} first, then the lines of the
   * job's event log, {@code JOB_FINISHED} last. docs/event-log.md describes the details of each
   * type. Of the stderr of the job's programs, and likewise of their outputs, at most 1,048,576
   * characters in all are included, and {@code JOB_DESCRIBED} comes without the job's options.
   * Types that this version does not know are {@code UNKNOWN}.
   *
   * @param event never null
   */
  default void event(JobEvent event) {}

  /**
   * Called for each line for people, as {@code tony submit} prints it.
   *
   * @param line without a line break; never null
   */
  default void line(String line) {}
}
