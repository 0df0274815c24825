package io.tony.azkaban.mini;

/**
 * Hears what happens in an execution the moment it happens.
 *
 * <p>Called on Azkaban's own threads, several jobs' at once and sometimes under the flow runner's
 * lock: an implementation must be thread-safe and return soon. It may call {@link
 * FlowExecution#kill}, but must not wait for the execution's end.
 */
public interface FlowListener {

  /** A listener that ignores everything. */
  FlowListener NONE = new FlowListener() {};

  /**
   * A job's status changed. Each attempt is QUEUED (a retry stays so for its {@code
   * retry.backoff}), then RUNNING, then ended; a job that never runs only ends.
   */
  default void jobChanged(JobUpdate update) {}

  /** A job wrote a line to its log. */
  default void jobLogged(LogLine line) {}
}
