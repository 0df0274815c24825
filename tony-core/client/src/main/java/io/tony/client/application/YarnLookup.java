package io.tony.client.application;

import io.tony.eventlog.ApplicationLiveness;
import java.io.IOException;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Asks YARN whether an application is alive. */
@FunctionalInterface
public interface YarnLookup {
  ApplicationLiveness find(ApplicationId application) throws IOException, YarnException;

  static YarnLookup of(YarnClient yarn) {
    return id -> {
      try {
        return RunningApplication.hasEnded(yarn.getApplicationReport(id))
            ? ApplicationLiveness.ENDED
            : ApplicationLiveness.ALIVE;
      } catch (ApplicationNotFoundException e) {
        return ApplicationLiveness.UNKNOWN;
      }
    };
  }

  /**
   * Like {@link #find}, but for callers without YARN's types.
   *
   * @param application the application's id as text
   */
  default ApplicationLiveness findByName(String application) throws IOException {
    try {
      return find(ApplicationId.fromString(application));
    } catch (YarnException e) {
      throw new IOException(e);
    }
  }
}
