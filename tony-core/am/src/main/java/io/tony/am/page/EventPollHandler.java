package io.tony.am.page;

import io.tony.am.http.DeadlineQueue;
import io.tony.am.http.HttpExchange;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests for the events from a given number on. If there are such events, or too many
 * requests wait already, answers at once; else holds the request until there are events or the
 * maximum wait has passed. Used only on the page's thread, except for {@link #hasWaitingViewers}.
 */
final class EventPollHandler {
  private static final Logger LOG = LoggerFactory.getLogger(EventPollHandler.class);

  /** Maximum number of held requests. Each also occupies a thread of YARN's proxy. */
  static final int MAX_WAITING = 5;

  /** Milliseconds after which the page should repeat a request that could not be held. */
  private static final int RETRY_PAUSE_MS = 2_000;

  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  private final EventSource events;
  private final PageEventReader eventReader;
  private final Duration maxWait;
  private final DeadlineQueue deadlines;
  private final AtomicInteger waitingCount = new AtomicInteger();

  /** {@code maxWait} is the maximum time that a request is held. */
  EventPollHandler(
      EventSource events, PageEventReader eventReader, Duration maxWait, DeadlineQueue deadlines) {
    this.events = events;
    this.eventReader = eventReader;
    this.maxWait = maxWait;
    this.deadlines = deadlines;
  }

  /**
   * Returns true if a request for events is held, or its answer is not sent yet. May be called from
   * any thread.
   */
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
   * Reads the events from number {@code from} on and sends them.
   *
   * @param pause milliseconds that the page should wait before its next request
   * @return a {@link Runnable} that cancels the reading; for a connection that closes early
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

  /** A held request, for which there are no events yet. */
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
