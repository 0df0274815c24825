package io.tony.client.application;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;

import io.tony.client.follow.ReportedYarn;
import io.tony.event.JobFact;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.history.RecordedJobs;
import io.tony.history.SummaryBuilder;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import java.time.Instant;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Test;

public class YarnFinalStatusTest {
  private final ReportedYarn yarn = new ReportedYarn();
  private final SummaryBuilder builder = new SummaryBuilder(ReportedYarn.APPLICATION.toString());

  private JobSummary told() throws Exception {
    RecordedJobs.begin(1).forEach(fact -> builder.add(fact.toEvent(Instant.EPOCH, 0)));
    return new YarnFinalStatus(yarn).withFinalStatus(builder.build());
  }

  @Test
  public void shouldLeaveAJobRunningThatYarnRuns() throws Exception {
    yarn.show(YarnApplicationState.RUNNING, 1, "host", 1);

    assertEquals(Status.RUNNING, told().status());
  }

  @Test
  public void shouldTellTheEndThatOnlyYarnKnows() throws Exception {
    yarn.show(YarnApplicationState.FAILED, 2, "host", 1);
    yarn.showTimes(1, 2, 60_000);

    JobSummary job = told();

    assertEquals(Status.FAILED, job.status());
    assertEquals(FailureKind.AM_LOST, job.kind());
    assertEquals(Instant.ofEpochSecond(60), job.ended());
  }

  @Test
  public void shouldCallAJobLostThatYarnHasForgotten() throws Exception {
    assertEquals(Status.LOST, told().status());
  }

  @Test
  public void shouldBelieveALogThatTellsTheEnd() throws Exception {
    yarn.show(YarnApplicationState.KILLED, 1, "host", 1);
    JobResult result = JobResult.succeeded("all is well");
    builder.add(new JobFact.Finished(result).toEvent(Instant.EPOCH, 0));
    JobSummary ended = builder.build();

    assertSame(ended, new YarnFinalStatus(yarn).withFinalStatus(ended));
  }
}
