package io.tony.am.loop;

import io.tony.am.machine.Event;

/** Where YARN's and the executors' callbacks leave what happened. Returns at once; never throws. */
@FunctionalInterface
public interface EventSink {
  void offer(Event event);

  /**
   * {@code recorded} is run, on another thread, once all that follows from the event is in the log:
   * until then nobody may be told of it. At once where nothing is recorded.
   */
  default void offer(Event event, Runnable onRecorded) {
    offer(event);
    onRecorded.run();
  }

  /** An error of this program that a callback has met: it is no event, and ends the loop. */
  default void reportDefect(Throwable defect) {
    throw new IllegalStateException("nobody takes it", defect);
  }
}
