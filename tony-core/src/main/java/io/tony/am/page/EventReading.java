package io.tony.am.page;

import io.tony.am.serve.Alarms;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads events for the page's thread. Those that are in the log's files alone are read by a thread
 * of its own: HDFS may take long, and the page's other callers do not wait for it.
 */
final class EventReading {
  private final Events events;
  private final Readers readers;

  EventReading(Events events, Alarms page) {
    this.events = events;
    this.readers = new Readers("old-events", 1, page);
  }

  /**
   * Reads some from a number on.
   *
   * @param later done first where whoever asks has to wait
   * @param told told them by the page's thread, as {@code failed} is why that cannot be
   * @return done where nobody waits for them any more
   */
  Runnable read(
      long from, Runnable later, Consumer<Events.Excerpt> told, Consumer<Throwable> failed) {
    Optional<Events.Excerpt> atHand = events.atHand(from);
    if (atHand.isPresent()) {
      told.accept(atHand.get());
      return () -> {};
    }
    later.run();
    return readers.read(() -> events.excerpt(from), told, failed);
  }
}
