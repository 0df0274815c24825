package io.tony.am.machine;

import java.time.Duration;
import java.time.Instant;

/**
 * The changes of a gang's size.
 *
 * @param count how often it shrank, or was to grow
 * @param asked when its programs were asked for a checkpoint to grow from; null where those that
 *     run now were not
 */
record Resizes(int count, Instant asked) {
  static final Resizes NONE = new Resizes(0, null);

  Resizes growing(Instant at) {
    return new Resizes(count + 1, at);
  }

  Resizes shrinking() {
    return new Resizes(count + 1, asked);
  }

  /** Other programs run from now on. */
  Resizes startedAgain() {
    return new Resizes(count, null);
  }

  /** Whether the programs were asked so short a time ago. A clock set back changes nothing. */
  boolean isAsked(Duration counts, Instant now) {
    return asked != null && Duration.between(asked, now).compareTo(counts) < 0;
  }
}
