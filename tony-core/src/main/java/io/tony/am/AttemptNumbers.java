package io.tony.am;

import io.tony.am.machine.AttemptLimits;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.model.JobSpec;

/** Attempt numbers of a job's tasks, as programs see them in their environment. */
final class AttemptNumbers {
  private AttemptNumbers() {}

  /**
   * Returns the attempt number of the first start in this application. Each Azkaban attempt gets a
   * range as long as the maximum number of task attempts of one application, so that the number
   * grows from one Azkaban attempt to the next, as frameworks expect.
   */
  static int first(TonyConfig config, JobSpec job) {
    int maxAttempts = AttemptLimits.maxAttempts(job, config.get(AmOptions.MAX_ATTEMPTS));
    return first(config.find(AzkabanOptions.ATTEMPT).orElse(0), maxAttempts);
  }

  /**
   * Like {@link #first(TonyConfig, JobSpec)}, from plain numbers. Very high Azkaban attempts share
   * the last range, because higher numbers would overflow to negative ones.
   */
  static int first(int azkabanAttempt, int maxAttempts) {
    return (int) Math.min((long) azkabanAttempt * maxAttempts, Integer.MAX_VALUE - maxAttempts);
  }
}
