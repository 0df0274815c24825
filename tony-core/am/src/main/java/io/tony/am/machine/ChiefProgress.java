package io.tony.am.machine;

import java.time.Instant;

/**
 * The last recorded progress of the chief's program.
 *
 * @param at when the progress was recorded
 * @param text the progress line that the program reported
 * @param attempt number of the chief's attempt that made the progress
 */
record ChiefProgress(Instant at, String text, int attempt) {
  static final ChiefProgress NONE = new ChiefProgress(Instant.EPOCH, "", 0);
}
