package io.tony.am.loop;

import io.tony.am.machine.Event;

/**
 * Receives events from the callbacks of YARN and of executors. Methods return at once and never
 * throw; any thread may call them.
 */
@FunctionalInterface
public interface EventSink {
  void offer(Event event);

  /**
   * Offers an event and runs {@code onRecorded} once all its consequences are in the log; before
   * that, they must not be published. Runs on another thread; this default implementation, which
   * records nothing, runs it at once.
   */
  default void offer(Event event, Runnable onRecorded) {
    offer(event);
    onRecorded.run();
  }

  /**
   * Reports an error of this program that occurred in a callback. A defect is not an event; it ends
   * the loop.
   */
  default void reportDefect(Throwable defect) {
    throw new IllegalStateException("nobody takes it", defect);
  }
}
