package io.tony.am.page;

import io.tony.am.serve.Alarms;
import io.tony.am.serve.HttpConversation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers who asks for the events from a number on: at once where there are some, or too many wait
 * already; else when there are, or its patience ends. Used by the page's thread alone.
 */
final class EventAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(EventAnswers.class);

  /** Each who waits for news also keeps a thread of YARN's proxy from others. */
  static final int MOST_WAITING = 5;

  /** Milliseconds after which the others ask again. */
  private static final int PAUSE = 2_000;

  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  private final Events events;
  private final EventReading reading;
  private final Duration patience;
  private final Alarms alarms;
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * @param patience how long a caller waits for news at most
   */
  EventAnswers(Events events, EventReading reading, Duration patience, Alarms alarms) {
    this.events = events;
    this.reading = reading;
    this.patience = patience;
    this.alarms = alarms;
  }

  /** Whether somebody waits for news, or has not taken them yet. For any thread. */
  boolean awaited() {
    return waiting.get() > 0;
  }

  void tell(long from, HttpConversation conversation) {
    if (events.hasNews(from) || waiting.get() == MOST_WAITING) {
      int pause = events.hasNews(from) ? 0 : PAUSE;
      conversation.caller().onClose(tellNow(from, pause, conversation));
      return;
    }
    conversation.caller().settle();
    waiting.incrementAndGet();
    new Waiting(from, conversation).begin();
  }

  /**
   * Tells them as soon as they are read.
   *
   * @param pause how many milliseconds the caller is to wait before it asks again
   * @return done where the caller has gone before
   */
  private Runnable tellNow(long from, int pause, HttpConversation conversation) {
    return reading.read(
        from,
        conversation.caller()::settle,
        excerpt -> conversation.answer(200, JobPage.JSON, json(excerpt, pause)),
        why -> {
          LOG.warn("Event {} and those after it cannot be read for the page", from, why);
          conversation.answer(503, JobPage.UNREADABLE);
        });
  }

  private String json(Events.Excerpt excerpt, int pause) {
    return "{\"from\":"
        + excerpt.first()
        + ",\"finished\":"
        + excerpt.finished()
        + ",\"teller\":"
        + events.teller()
        + ",\"pause\":"
        + pause
        + ",\"events\":["
        + String.join(",", excerpt.lines())
        + "]}";
  }

  /** A caller for whom there is nothing yet. */
  private final class Waiting {
    private final long from;
    private final HttpConversation conversation;
    private final long deadline = System.nanoTime() + patience.toNanos();
    private Runnable cancel = () -> {};

    Waiting(long from, HttpConversation conversation) {
      this.from = from;
      this.conversation = conversation;
    }

    void begin() {
      conversation
          .caller()
          .onClose(
              () -> {
                waiting.decrementAndGet();
                cancel.run();
              });
      lookAgain();
    }

    private void lookAgain() {
      cancel =
          alarms.set(
              LOOK_AGAIN,
              () -> {
                if (events.hasNews(from) || System.nanoTime() - deadline > 0) {
                  cancel = tellNow(from, 0, conversation);
                } else {
                  lookAgain();
                }
              });
    }
  }
}
