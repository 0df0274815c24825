package io.tony.am.loop;

import io.tony.am.machine.Event;

/**
 * Receives events from the callbacks of YARN and of executors. Implementations return at once,
 * never throw, and may be called by any thread.
 */
@FunctionalInterface
public interface EventSink {
  void offer(Event event);

  /**
   * Offers an event, and runs {@code onRecorded} on another thread once the facts that the event
   * led to are in the event log. What depends on these facts must not be published earlier. The
   * default implementation is for sinks that record nothing: it runs {@code onRecorded} at once.
   */
  default void offer(Event event, Runnable onRecorded) {
    offer(event);
    onRecorded.run();
  }

  /**
   * Reports a defect of TonY that occurred in a callback. The defect ends the event loop. The
   * default implementation is for sinks without a loop: it throws.
   */
  default void reportDefect(Throwable defect) {
    throw new IllegalStateException("there is no event loop to report a defect to", defect);
  }
}
