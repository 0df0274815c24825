package io.tony.am;

import io.tony.event.JobFact;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Map;
import org.apache.hadoop.yarn.api.ApplicationConstants;

/** What this process knows of the time before it: for the job's timeline. */
final class MasterOrigin {
  private MasterOrigin() {}

  /** YARN tells every ApplicationMaster in its environment when the application was submitted. */
  static JobFact.LaunchTimes of(Map<String, String> environment) {
    Instant process = Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
    return new JobFact.LaunchTimes(
        time(environment.get(ApplicationConstants.APP_SUBMIT_TIME_ENV)), process);
  }

  private static Instant time(String millis) {
    try {
      return millis == null ? null : Instant.ofEpochMilli(Long.parseLong(millis));
    } catch (NumberFormatException e) {
      return null; // a timeline is no reason to refuse a job
    }
  }
}
