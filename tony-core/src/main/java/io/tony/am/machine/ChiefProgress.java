package io.tony.am.machine;

import java.time.Instant;

/** What was last recorded of the chief's progress, when, and in which attempt of the chief. */
record ChiefProgress(Instant at, String text, int attempt) {
  static final ChiefProgress NONE = new ChiefProgress(Instant.EPOCH, "", 0);
}
