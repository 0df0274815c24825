package io.tony.am.checkpoint;

import io.tony.checkpoint.CopyDeadline;
import io.tony.clock.Durations;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import java.time.Duration;

/**
 * Time limit for copying checkpoints to the cluster's file system after the user's program has
 * ended.
 */
final class CopyLimit {
  private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

  private CopyLimit() {}

  /**
   * Returns the configured limit. If none is configured, returns the default limit or, if the
   * registration timeout is limited, a shorter one: a task's next attempt registers only after the
   * copies are made. Half of the registration timeout, after the time for stopping the program is
   * subtracted, is then the maximum, but at least 1 s.
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
