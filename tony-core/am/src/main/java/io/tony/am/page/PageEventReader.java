package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads events for the page's thread. Events that are not in memory any more are read from the
 * event log's files on another thread, because HDFS may be slow and other requests must not wait.
 */
final class PageEventReader {
  private final EventSource events;
  private final ReaderPool readerPool;

  PageEventReader(EventSource events, DeadlineQueue pageThread) {
    this.events = events;
    this.readerPool = new ReaderPool("old-events", 1, pageThread);
  }

  /**
   * Reads the events from number {@code from} on.
   *
   * @param beforeWait runs first if files have to be read
   * @param onRead gets the events, on the page's thread
   * @param onFailure gets the exception if the events cannot be read, on the page's thread
   * @return a {@link Runnable} that cancels the reading if it has not begun yet
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
