package io.tony.am.machine;

import java.time.Instant;

/** What was last recorded of the chief's progress, and when. */
record Progress(Instant at, String text) {
  static final Progress NONE = new Progress(Instant.EPOCH, "");
}
