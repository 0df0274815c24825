package io.tony.client.application;

import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import java.io.IOException;
import java.time.Instant;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * Adds YARN's final status to summaries of jobs whose event logs contain no end, for example
 * because YARN killed them.
 */
public final class YarnFinalStatus {
  private final YarnClient yarn;

  public YarnFinalStatus(YarnClient yarn) {
    this.yarn = yarn;
  }

  /** Returns the summary, with YARN's final status if the event log contains no end of the job. */
  public JobSummary withFinalStatus(JobSummary job) throws IOException, YarnException {
    if (job.status() != Status.RUNNING && job.status() != Status.LOST) {
      return job;
    }
    try {
      return withFinalStatus(
          job, yarn.getApplicationReport(ApplicationId.fromString(job.application())));
    } catch (ApplicationNotFoundException e) {
      return job.status() == Status.LOST
          ? job
          : job.asLost("its end is not recorded, and YARN does not know it any more");
    }
  }

  public static JobSummary withFinalStatus(JobSummary job, ApplicationReport report) {
    boolean open = job.status() == Status.RUNNING || job.status() == Status.LOST;
    return open && RunningApplication.hasEnded(report)
        ? job.withEnd(YarnResult.of(report, "YARN"), Instant.ofEpochMilli(report.getFinishTime()))
        : job;
  }
}
