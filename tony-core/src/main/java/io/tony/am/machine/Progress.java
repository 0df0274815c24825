package io.tony.am.machine;

import java.time.Instant;

/** What was last recorded of the chief's progress, when, and in which attempt of the chief. */
record Progress(Instant at, String text, int attempt) {
  static final Progress NONE = new Progress(Instant.EPOCH, "", 0);
}
