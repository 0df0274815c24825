package io.tony.am.machine;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.event.Fact;
import io.tony.eventlog.WholeLog;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.SampleJob;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.io.File;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.Test;

/** Logs that release 0.1.0 wrote on a cluster say to this one what they said to that. */
public class ReleasedLogTest {
  private static final File LOGS =
      Repository.path("tony-core/base/src/test/resources/event-log/0.1.0").toFile();

  private static List<JobEvent> log(String name) throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    List<JobEvent> events = WholeLog.read(fs, new Path(new File(LOGS, name).toURI()));
    for (JobEvent event : events) {
      assertTrue(event.toString(), Fact.of(event).isPresent());
    }
    return events;
  }

  private static JobState replay(String name, SampleJob job) throws IOException {
    return JobStateReducer.of(job.spec(), 7, log(name));
  }

  @Test
  public void shouldReadStartsOfOneTaskAndOfTheGang() throws IOException {
    SampleJob job = job().role("ps", 1, Supervision.UNTRACKED).workers(2).each(1).retries(1, 3);

    JobState state = replay("restarts", job);

    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), state.result());
    assertEquals(2, state.session());
    assertEquals(3, state.gang().attempt());
    assertEquals(new RetryBudget(0, 2, 0), state.budget());
    assertEquals(1, state.tasks().get(new TaskId("worker", 1)).retries());
    assertEquals(1, state.clusterView().avoided().size());
    assertEquals(TaskState.STOPPED, state.tasks().get(new TaskId("ps", 0)).state());
  }

  @Test
  public void shouldReadWhatALostMasterAndItsSuccessorWrote() throws IOException {
    JobState state = replay("failover", job().workers(2));

    assertEquals(JobResult.succeeded("2 of 2 tasks succeeded"), state.result());
    assertEquals(0, state.session());
    assertEquals(2, state.tasks().count(TaskState.SUCCEEDED));
  }

  @Test
  public void shouldReadAFailure() throws IOException {
    JobResult result = replay("failed", job().workers(1)).result();

    assertEquals(JobResult.Status.FAILED, result.status());
    assertEquals(new TaskId("worker", 0), result.task());
    assertEquals(Integer.valueOf(3), result.exitCode());
  }

  @Test
  public void shouldReadOfAGangThatWaitedAndWasKilled() throws IOException {
    JobState state = replay("waiting", job().workers(4));

    assertEquals(JobResult.Status.KILLED, state.result().status());
    assertEquals(1, state.gang().backoffCount());
    assertEquals(4, state.tasks().count(TaskState.STOPPED));
  }
}
