package io.tony.am.checkpoint;

import io.tony.checkpoint.CopyDeadline;
import io.tony.clock.Durations;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import java.time.Duration;

/** How long checkpoints may be copied when a program has ended. */
final class CopyLimit {
  private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

  private CopyLimit() {}

  /**
   * As the job says; where it does not, half of what a program's end leaves at least of the time
   * that a task may take to register: it does so only after the copies.
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
