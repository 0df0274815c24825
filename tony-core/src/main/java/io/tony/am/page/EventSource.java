package io.tony.am.page;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Read-only access to the job's events so far. Thread-safe. */
public interface EventSource {
  /**
   * Consecutive events.
   *
   * @param first number of the first event, or of the next event to come if there is none
   * @param lines one JSON line per event, as in the event log
   * @param finished whether the log is complete and no event follows these
   */
  record Excerpt(long first, List<String> lines, boolean finished) {}

  /**
   * Returns the events from a number on, up to the size limit of one answer. Past the end of the
   * log, the excerpt is empty and begins at the next event to come. May block, because it may read
   * files.
   *
   * @param from 0 or above
   */
  Excerpt excerpt(long from) throws IOException;

  /** Like {@link #excerpt}, but from memory only; empty if files would have to be read. */
  Optional<Excerpt> excerptInMemory(long from);

  /**
   * Returns the number of the ApplicationMaster attempt that serves these events, from 1. A lost
   * ApplicationMaster may have served events that it had not written; after a change of this
   * number, event numbers may refer to other events.
   */
  int masterAttempt();

  /** Returns whether an excerpt from this number on would contain events, or the end of the log. */
  boolean hasNews(long from);
}
