package io.tony.am.checkpoint;

import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import java.time.Duration;

/** How long checkpoints may be copied when a program has ended. */
final class CopyLimit {
  private CopyLimit() {}

  /**
   * As the job says; where it does not, half of what a task may take to register at most: it does
   * so only after the copies.
   */
  static Duration of(TonyConfig config) {
    Duration limit = config.get(CheckpointOptions.COPY_TIMEOUT);
    Duration half = config.get(JobOptions.REGISTRATION_TIMEOUT).dividedBy(2);
    boolean shorten =
        !config.isSet(CheckpointOptions.COPY_TIMEOUT)
            && half.compareTo(Duration.ZERO) > 0
            && half.compareTo(limit) < 0;
    return shorten ? half : limit;
  }
}
