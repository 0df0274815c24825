package io.tony.azkaban.mini;

/**
 * Is notified of an execution's events as they happen.
 *
 * <p>Called on Azkaban's own threads, concurrently for several jobs and sometimes under the flow
 * runner's lock: an implementation must be thread-safe and return soon. It may call {@link
 * FlowExecution#kill}, but must not wait for the execution's end.
 */
public interface FlowListener {

  /** A listener that ignores everything. */
  FlowListener NONE = new FlowListener() {};

  /**
   * Called when a job's status has changed. Each attempt is QUEUED (a retry for its {@code
   * retry.backoff}), then RUNNING, then ended; a job that never runs only ends.
   */
  default void jobChanged(JobUpdate update) {}

  /** Called when a job has written a line to its log. */
  default void jobLogged(LogLine line) {}
}
