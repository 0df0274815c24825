package io.tony.am;

import io.tony.am.machine.AttemptLimits;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.model.JobSpec;

/** The numbers of the starts of a job's tasks, which programs are told. */
final class AttemptNumbers {
  private AttemptNumbers() {}

  /**
   * That of the first start. Each attempt of the Azkaban job has room for all that one application
   * may start again, so that the number grows from attempt to attempt, as programs expect of it.
   */
  static int first(TonyConfig config, JobSpec job) {
    int maxAttempts = AttemptLimits.maxAttempts(job, config.get(AmOptions.MAX_ATTEMPTS));
    return first(config.find(AzkabanOptions.ATTEMPT).orElse(0), maxAttempts);
  }

  /** The last attempts share the highest numbers, before these would become negative. */
  static int first(int azkabanAttempt, int maxAttempts) {
    return (int) Math.min((long) azkabanAttempt * maxAttempts, Integer.MAX_VALUE - maxAttempts);
  }
}
