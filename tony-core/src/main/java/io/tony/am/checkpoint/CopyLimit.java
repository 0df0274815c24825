package io.tony.am.checkpoint;

import io.tony.checkpoint.CopyDeadline;
import io.tony.clock.Durations;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import java.time.Duration;

/** Time limit for copying checkpoints after a program has ended. */
final class CopyLimit {
  private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

  private CopyLimit() {}

  /**
   * Returns the configured limit. Without one, returns the default, but at most half of the
   * registration timeout less the time to stop a program, because a task registers only after its
   * copies.
   */
  static Duration of(TonyConfig config) {
    Duration limit = config.get(CheckpointOptions.COPY_TIMEOUT);
    Duration registration = config.get(JobOptions.REGISTRATION_TIMEOUT);
    boolean unlimited = registration.compareTo(Duration.ZERO) <= 0;
    if (unlimited || config.isSet(CheckpointOptions.COPY_TIMEOUT)) {
      return limit;
    }
    Duration half =
        registration
            .minus(config.get(TaskOptions.STOP_GRACE))
            .minus(CopyDeadline.SLACK)
            .dividedBy(2);
    Duration shortened = half.compareTo(MIN_LIMIT) < 0 ? MIN_LIMIT : half;
    return Durations.shorter(shortened, limit);
  }
}
