package io.tony.am.page;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The events of the job so far, for somebody who reads along and has no say in the job. */
public interface EventSource {
  /**
   * Some of them.
   *
   * @param first the number of the first, or of the next to come
   * @param lines one for each, in JSON, as they are in the event log
   * @param finished whether the log is complete and nothing follows these
   */
  record Excerpt(long first, List<String> lines, boolean finished) {}

  /**
   * Those from a number on, as many as one answer should hold. Of a number beyond the last, none,
   * from the last on. May read files.
   *
   * @param from 0 or above
   */
  Excerpt excerpt(long from) throws IOException;

  /** The same at once; nothing where files would have to be read for it. */
  Optional<Excerpt> excerptInMemory(long from);

  /**
   * Which ApplicationMaster tells them, from 1. One that was lost may have told more than it wrote;
   * the numbers are of other events then.
   */
  int masterAttempt();

  /** Whether an excerpt from this number on would say anything new. */
  boolean hasNews(long from);
}
