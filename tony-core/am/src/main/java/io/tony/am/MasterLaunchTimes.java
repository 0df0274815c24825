package io.tony.am;

import io.tony.event.JobFact;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Map;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.jspecify.annotations.Nullable;

/**
 * Determines when this ApplicationMaster was submitted and launched, for the timeline of the job.
 */
final class MasterLaunchTimes {
  private MasterLaunchTimes() {}

  /**
   * Returns the launch times; the time of submission in them is null if it is unknown. That time of
   * submission is in the environment variables that YARN sets for each ApplicationMaster.
   */
  static JobFact.LaunchTimes of(Map<String, String> environment) {
    Instant process = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
    return new JobFact.LaunchTimes(
        time(environment.get(ApplicationConstants.APP_SUBMIT_TIME_ENV)), process);
  }

  private static @Nullable Instant time(@Nullable String millis) {
    try {
      return millis == null ? null : Instant.ofEpochMilli(Long.parseLong(millis));
    } catch (NumberFormatException e) {
      // An invalid time counts as unknown: only the timeline needs it, so it must not fail the job.
      return null;
    }
  }
}
