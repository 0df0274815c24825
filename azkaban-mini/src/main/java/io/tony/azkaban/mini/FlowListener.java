package io.tony.azkaban.mini;

/**
 * Is notified of an execution's events when they happen.
 *
 * <p>The methods are called on Azkaban's own threads, concurrently for several jobs, and sometimes
 * while the flow runner's lock is held. So an implementation must be thread-safe and return soon.
 * It may call {@link FlowExecution#kill}, but must not wait for the execution's end.
 */
public interface FlowListener {

  /** A listener that ignores all events. */
  FlowListener NONE = new FlowListener() {};

  /**
   * Called when a job's status has changed. An attempt is first QUEUED (a retry stays so for its
   * {@code retry.backoff}), then RUNNING, and at last has a final status. A job that never runs
   * only has a final status.
   */
  default void jobChanged(JobUpdate update) {}

  /** Called when a job has written a line to its log. */
  default void jobLogged(LogLine line) {}
}
