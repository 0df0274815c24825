package io.tony.am.machine;

import java.time.Duration;
import java.time.Instant;

/**
 * The changes of a gang's size.
 *
 * @param count number of shrinks and of planned growths
 * @param checkpointRequestedAt when the programs were asked for a checkpoint to grow from; null if
 *     the current programs were not asked
 */
record Resizes(int count, Instant checkpointRequestedAt) {
  static final Resizes NONE = new Resizes(0, null);

  Resizes withGrowth(Instant at) {
    return new Resizes(count + 1, at);
  }

  Resizes withShrink() {
    return new Resizes(count + 1, checkpointRequestedAt);
  }

  /** Returns a copy for a restarted gang, whose programs have not been asked. */
  Resizes afterRestart() {
    return new Resizes(count, null);
  }

  /**
   * Returns true if the programs were asked less than {@code validity} ago. A request in the
   * future, after the clock was set back, counts as well.
   */
  boolean isCheckpointRequested(Duration validity, Instant now) {
    return checkpointRequestedAt != null
        && Duration.between(checkpointRequestedAt, now).compareTo(validity) < 0;
  }
}
