package io.tony.am;

import io.tony.am.machine.AttemptLimits;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.model.JobSpec;

/** Calculates the attempt numbers that the user's programs get in their environment. */
final class AttemptNumbers {
  private AttemptNumbers() {}

  /**
   * Returns the attempt number that a task's first start in this application gets. Frameworks
   * expect that the number grows from one Azkaban attempt of the job to the next. So each Azkaban
   * attempt (from 0) has its own range of numbers, whose length is the maximum number of attempts
   * of a task in one application.
   */
  static int first(TonyConfig config, JobSpec job) {
    int maxAttempts = AttemptLimits.maxAttempts(job, config.get(AmOptions.MAX_ATTEMPTS));
    return first(config.find(AzkabanOptions.ATTEMPT).orElse(0), maxAttempts);
  }

  /**
   * Like {@link #first(TonyConfig, JobSpec)}, with the number of the Azkaban attempt and the length
   * of each range. Azkaban attempts whose numbers would exceed the range of {@code int} all get the
   * last range.
   */
  static int first(int azkabanAttempt, int maxAttempts) {
    return (int) Math.min((long) azkabanAttempt * maxAttempts, Integer.MAX_VALUE - maxAttempts);
  }
}
