package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads events for the page's thread. Those that are in the log's files alone are read by a thread
 * of its own: HDFS may take long, and the page's other callers do not wait for it.
 */
final class PageEventReader {
  private final EventSource events;
  private final ReaderPool readerPool;

  PageEventReader(EventSource events, DeadlineQueue pageThread) {
    this.events = events;
    this.readerPool = new ReaderPool("old-events", 1, pageThread);
  }

  /**
   * Reads some from a number on.
   *
   * @param beforeWait done first where whoever asks has to wait
   * @param onRead told them by the page's thread, as {@code failed} is why that cannot be
   * @return done where nobody waits for them any more
   */
  Runnable read(
      long from,
      Runnable beforeWait,
      Consumer<EventSource.Excerpt> onRead,
      Consumer<Throwable> onFailure) {
    Optional<EventSource.Excerpt> inMemory = events.excerptInMemory(from);
    if (inMemory.isPresent()) {
      onRead.accept(inMemory.get());
      return () -> {};
    }
    beforeWait.run();
    return readerPool.read(() -> events.excerpt(from), onRead, onFailure);
  }
}
