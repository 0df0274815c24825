package io.tony.am;

import io.tony.am.machine.AttemptLimits;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.model.JobSpec;

/** Attempt numbers of a job's tasks, as the user's programs see them in their environment. */
final class AttemptNumbers {
  private AttemptNumbers() {}

  /**
   * Returns the attempt number of a task's first start in this application. Each Azkaban attempt of
   * the job has its own range of numbers, as long as the maximum number of task attempts in one
   * application. So the number also grows from one Azkaban attempt to the next, as frameworks
   * expect.
   */
  static int first(TonyConfig config, JobSpec job) {
    int maxAttempts = AttemptLimits.maxAttempts(job, config.get(AmOptions.MAX_ATTEMPTS));
    return first(config.find(AzkabanOptions.ATTEMPT).orElse(0), maxAttempts);
  }

  /**
   * Like {@link #first(TonyConfig, JobSpec)}, from the number of the Azkaban attempt and the length
   * of its range. All very high Azkaban attempts share the last range, because higher numbers would
   * overflow to negative ones.
   */
  static int first(int azkabanAttempt, int maxAttempts) {
    return (int) Math.min((long) azkabanAttempt * maxAttempts, Integer.MAX_VALUE - maxAttempts);
  }
}
