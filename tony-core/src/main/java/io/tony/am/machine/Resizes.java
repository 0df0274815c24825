package io.tony.am.machine;

import java.time.Duration;
import java.time.Instant;

/**
 * The changes of a gang's size.
 *
 * @param count how often it shrank, or was to grow
 * @param checkpointRequestedAt when its programs were asked for a checkpoint to grow from; null
 *     where those that run now were not
 */
record Resizes(int count, Instant checkpointRequestedAt) {
  static final Resizes NONE = new Resizes(0, null);

  Resizes withGrowth(Instant at) {
    return new Resizes(count + 1, at);
  }

  Resizes withShrink() {
    return new Resizes(count + 1, checkpointRequestedAt);
  }

  /** Other programs run from now on. */
  Resizes afterRestart() {
    return new Resizes(count, null);
  }

  /** Whether the programs were asked so short a time ago. A clock set back changes nothing. */
  boolean isCheckpointRequested(Duration validity, Instant now) {
    return checkpointRequestedAt != null
        && Duration.between(checkpointRequestedAt, now).compareTo(validity) < 0;
  }
}
