package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.am.http.HttpExchange;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers who asks for the events from a number on: at once where there are some, or too many wait
 * already; else when there are, or its patience ends. Used by the page's thread alone.
 */
final class EventPollHandler {
  private static final Logger LOG = LoggerFactory.getLogger(EventPollHandler.class);

  /** Each who waits for news also keeps a thread of YARN's proxy from others. */
  static final int MAX_WAITING = 5;

  /** Milliseconds after which the others ask again. */
  private static final int RETRY_PAUSE_MS = 2_000;

  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  private final EventSource events;
  private final PageEventReader eventReader;
  private final Duration maxWait;
  private final DeadlineQueue deadlines;
  private final AtomicInteger waitingCount = new AtomicInteger();

  /**
   * @param maxWait how long a caller waits for news at most
   */
  EventPollHandler(
      EventSource events, PageEventReader eventReader, Duration maxWait, DeadlineQueue deadlines) {
    this.events = events;
    this.eventReader = eventReader;
    this.maxWait = maxWait;
    this.deadlines = deadlines;
  }

  /** Whether somebody waits for news, or has not taken them yet. For any thread. */
  boolean hasWaitingViewers() {
    return waitingCount.get() > 0;
  }

  void answer(long from, HttpExchange exchange) {
    if (events.hasNews(from) || waitingCount.get() == MAX_WAITING) {
      int pause = events.hasNews(from) ? 0 : RETRY_PAUSE_MS;
      exchange.connection().onClose(answerNow(from, pause, exchange));
      return;
    }
    exchange.connection().park();
    waitingCount.incrementAndGet();
    new WaitingPoll(from, exchange).begin();
  }

  /**
   * Tells them as soon as they are read.
   *
   * @param pause how many milliseconds the caller is to wait before it asks again
   * @return done where the caller has gone before
   */
  private Runnable answerNow(long from, int pause, HttpExchange exchange) {
    return eventReader.read(
        from,
        exchange.connection()::park,
        excerpt -> exchange.answer(200, JobPage.JSON_HEADERS, json(excerpt, pause)),
        why -> {
          LOG.warn("Event {} and those after it cannot be read for the page", from, why);
          exchange.answer(503, JobPage.UNREADABLE);
        });
  }

  private String json(EventSource.Excerpt excerpt, int pause) {
    return "{\"from\":"
        + excerpt.first()
        + ",\"finished\":"
        + excerpt.finished()
        + ",\"teller\":"
        + events.masterAttempt()
        + ",\"pause\":"
        + pause
        + ",\"events\":["
        + String.join(",", excerpt.lines())
        + "]}";
  }

  /** A caller for whom there is nothing yet. */
  private final class WaitingPoll {
    private final long from;
    private final HttpExchange exchange;
    private final long deadline = System.nanoTime() + maxWait.toNanos();
    private Runnable cancel = () -> {};

    WaitingPoll(long from, HttpExchange exchange) {
      this.from = from;
      this.exchange = exchange;
    }

    void begin() {
      exchange
          .connection()
          .onClose(
              () -> {
                waitingCount.decrementAndGet();
                cancel.run();
              });
      scheduleCheck();
    }

    private void scheduleCheck() {
      cancel =
          deadlines.schedule(
              POLL_INTERVAL,
              () -> {
                if (events.hasNews(from) || System.nanoTime() - deadline > 0) {
                  cancel = answerNow(from, 0, exchange);
                } else {
                  scheduleCheck();
                }
              });
    }
  }
}
