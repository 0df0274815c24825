package io.tony.am.page;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Read-only access to the job's events that have been recorded so far. Thread-safe. */
public interface EventSource {
  /**
   * Consecutive events.
   *
   * @param first number of the first event in {@code lines}; if there is none, number of the next
   *     event to come
   * @param lines one JSON line per event, as in the event log
   * @param finished true if the event log is complete and no event follows these
   */
  record Excerpt(long first, List<String> lines, boolean finished) {}

  /**
   * Returns the events from a number on, up to the size limit of one answer. If there are none yet,
   * returns an empty excerpt that begins at the next event to come. May block, because it may read
   * files.
   *
   * @param from number of the first event to return, 0 or more
   */
  Excerpt excerpt(long from) throws IOException;

  /** Like {@link #excerpt}, but from memory only; empty if files would have to be read. */
  Optional<Excerpt> excerptInMemory(long from);

  /**
   * Returns the number of the ApplicationMaster attempt that serves these events, from 1. A lost
   * ApplicationMaster may have served events that it had not written to the event log, so the same
   * event number may mean another event after a change of this number.
   */
  int masterAttempt();

  /**
   * Returns true if an excerpt from this number on would contain an event or the end of the event
   * log, or would begin at another number because there are fewer events.
   */
  boolean hasNews(long from);
}
