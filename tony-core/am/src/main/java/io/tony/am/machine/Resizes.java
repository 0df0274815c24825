package io.tony.am.machine;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The history of a gang's changes of size. Immutable.
 *
 * @param count number of shrinks and of planned growths
 * @param checkpointRequestedAt when the running programs were asked for a checkpoint to grow from;
 *     null if they were not
 */
record Resizes(int count, @Nullable Instant checkpointRequestedAt) {
  static final Resizes NONE = new Resizes(0, null);

  Resizes withGrowth(Instant at) {
    return new Resizes(count + 1, at);
  }

  Resizes withShrink() {
    return new Resizes(count + 1, checkpointRequestedAt);
  }

  /** Returns a copy for a restarted gang, whose new programs were not asked for a checkpoint. */
  Resizes afterRestart() {
    return new Resizes(count, null);
  }

  /**
   * Returns true if the programs were asked for a checkpoint less than {@code validity} ago. A
   * request that seems to lie in the future, because the clock was set back, counts as well.
   */
  boolean isCheckpointRequested(Duration validity, Instant now) {
    return checkpointRequestedAt != null
        && Duration.between(checkpointRequestedAt, now).compareTo(validity) < 0;
  }
}
