package io.tony.client.submit;

import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.eventlog.EventLog;
import io.tony.fact.JobFact;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application that has ended so that another one of the same job would only end as it did. */
final class FutileAttempt {
  private static final Logger LOG = LoggerFactory.getLogger(FutileAttempt.class);

  private FutileAttempt() {}

  /**
   * Whether its event log says so, and that it had just these options and files. Where that cannot
   * be read, the job is tried.
   *
   * @param submission of the job, which is about to be tried again
   */
  static boolean was(
      Configuration conf, TonyConfig config, ApplicationId application, Submission submission) {
    try {
      FileSystem fs = FileSystem.get(conf);
      Path history = new Path(fs.getHomeDirectory(), config.get(ClientOptions.HISTORY_LOCATION));
      List<JobEvent> events =
          EventLog.read(
              fs, EventLog.folder(history, application.toString()), FutileAttempt::isWanted);
      return events.stream().anyMatch(FutileAttempt::saysSo)
          && isOf(events, submission.specification());
    } catch (IOException | RuntimeException e) {
      LOG.warn("How {} ended cannot be read: {}", application, e.toString());
      return false;
    }
  }

  private static boolean isWanted(JobEvent event) {
    return event.type() == JobEvent.Type.JOB_DESCRIBED
        || event.type() == JobEvent.Type.JOB_FINISHED;
  }

  private static boolean saysSo(JobEvent event) {
    return event.type() == JobEvent.Type.JOB_FINISHED
        && JobFact.Finished.of(event).result().futile();
  }

  private static boolean isOf(List<JobEvent> events, String specification) {
    return events.stream()
        .filter(event -> event.type() == JobEvent.Type.JOB_DESCRIBED)
        .map(event -> JobFact.Described.of(event).description().options())
        .anyMatch(options -> specification.equals(options.get(AzkabanOptions.SPECIFICATION.key())));
  }
}
