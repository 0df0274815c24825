package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.history.JobSummary.Status;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class JobSummaryTest {
  private static final TaskId WORKER = new TaskId("worker", 0);

  private final SummaryBuilder builder = new SummaryBuilder(RecordedJobs.id(7)).owner("ada");
  private Instant now = RecordedJobs.submitted(7).plusSeconds(5);

  private void add(List<Fact> facts) {
    for (Fact fact : facts) {
      builder.add(fact.toEvent(now, 0));
      now = now.plusSeconds(1);
    }
  }

  private void add(Fact... facts) {
    add(List.of(facts));
  }

  @Test
  public void shouldTellWhatAJobWas() {
    add(RecordedJobs.begin(7));
    add(RecordedJobs.end(0.25));

    JobSummary job = builder.build();

    assertEquals(RecordedJobs.id(7), job.application());
    assertEquals("ada", job.user());
    assertEquals("research", job.queue());
    assertEquals("train-7", job.name());
    assertEquals("pytorch", job.framework());
    assertEquals(RecordedJobs.description(7).step(), job.step());
    assertEquals(Status.SUCCEEDED, job.status());
    assertNull(job.kind());
    assertEquals("all 2 workers succeeded", job.message());
    assertEquals(RecordedJobs.submitted(7), job.submitted());
    assertEquals(2, job.tasks());
    assertEquals(Duration.ofSeconds(8), job.queueWait());
    assertEquals(Duration.ofSeconds(12), job.duration(Instant.MAX));
    assertEquals("what is no number is no figure", Map.of("loss", 0.25), job.outputs());
    assertEquals(Map.of("worker", 812L), job.peakMemoryMiB());
    assertEquals(Double.valueOf(1), job.fraction());
  }

  @Test
  public void shouldTellHowFarARunningJobIs() {
    add(RecordedJobs.begin(7));
    add(new TaskFact.Progressed(WORKER, "step 3/4"));

    JobSummary job = builder.build();

    assertEquals(Status.RUNNING, job.status());
    assertEquals("step 3/4", job.progress());
    assertEquals(Double.valueOf(0.75), job.fraction());
    assertNull(job.ended());
    assertEquals(
        Duration.ofHours(2), job.duration(RecordedJobs.submitted(7).plus(Duration.ofHours(2))));
  }

  @Test
  public void shouldCountStartsAgainAndTheMostMemory() {
    add(RecordedJobs.begin(7));
    add(
        new JobFact.UsageReport(
            Map.of("worker:0", "900 0.97", "ps max", "64 0.10", "ps min", "9 0.10")),
        new TaskFact.Succeeded(WORKER, Map.of("loss", "9", "prepared", "1"), ""),
        new TaskFact.Restarted(
            WORKER,
            FailureKind.LOST,
            "",
            1,
            1,
            false,
            false,
            RetryBudgetOwner.JOB,
            false,
            "n",
            null),
        new GangFact.Restarted(
            WORKER, FailureKind.LOST, "", 1, 2, RetryBudgetOwner.JOB, 0, false, "n", List.of()));
    add(RecordedJobs.end(0.25));

    JobSummary job = builder.build();

    assertEquals(2, job.restarts());
    assertEquals(Map.of("worker", 900L, "ps", 64L), job.peakMemoryMiB());
    assertEquals("only what the last start left", Map.of("loss", 0.25), job.outputs());
  }

  @Test
  public void shouldTellWhyAJobFailed() {
    add(RecordedJobs.begin(7));
    add(new JobFact.Finished(JobResult.failed(FailureKind.MEMORY, "x".repeat(5_000))));

    JobSummary job = builder.build();

    assertEquals(Status.FAILED, job.status());
    assertEquals(FailureKind.MEMORY, job.kind());
    assertEquals(JobSummary.MAX_TEXT_CHARS, job.message().length());
  }

  /** A log is its owner's, who may write anything into it. */
  @Test
  public void shouldBelieveTheFolderWhoseJobItIs() {
    builder.owner("mallory");
    add(RecordedJobs.begin(7));

    assertEquals("mallory", builder.build().user());
  }

  @Test
  public void shouldKeepLittleOfALogThatIsFullOfNonsense() {
    List<Fact> facts = new ArrayList<>();
    String much = "x".repeat(10_000);
    facts.add(
        new JobFact.Described(
            new JobDescription(
                much, much, much, much, JobDescription.AzkabanStep.NONE, Map.of(), "")));
    for (int i = 0; i < 1_000; i++) {
      facts.add(
          new JobFact.UsageReport(Map.of("role" + i + ":0", "1 0.10", "y", "many", "z:0", "many")));
      facts.add(
          new TaskFact.Succeeded(
              new TaskId("w" + i, 0), Map.of(much, "1", "o" + i, "1", "n" + i, "NaN"), ""));
    }
    add(facts);
    builder.add(new JobEvent(now, JobEvent.Type.AM_STARTED, 0, null, Map.of("attempt", "many")));

    JobSummary job = builder.build();

    assertTrue("" + job.name().length(), job.name().length() <= 200);
    assertTrue("" + job.peakMemoryMiB().size(), job.peakMemoryMiB().size() <= 50);
    assertEquals(SummaryBuilder.MAX_OUTPUTS, job.outputs().size());
  }

  /** Between such times no duration would fit a number. */
  @Test
  public void shouldBelieveNoTimeThatCannotBe() throws IOException {
    Instant far = Instant.MAX;
    builder.add(new GangFact.Running().toEvent(far, 0));
    builder.add(
        new JobFact.MasterStarted(1, "node-1", 2, null, new JobFact.LaunchTimes(Instant.MIN, null))
            .toEvent(now, 0));
    builder.add(new GangFact.Running().toEvent(now, 0));
    JobSummary job = builder.build().withEnd(JobResult.succeeded(""), far);

    assertNull(job.submitted());
    assertNull(job.ended());
    assertEquals(now, job.started());
    assertNull(job.queueWait());
    assertEquals(job, SummaryJson.read(SummaryJson.parse(SummaryJson.write(job))));
    Comparison.of(List.of(job));
  }

  @Test
  public void shouldLetNobodyInByAPartOfAName() {
    add(RecordedJobs.begin(7));
    for (int most : new int[] {200, SummaryBuilder.MAX_VIEWERS_CHARS}) {
      String whole = "x".repeat(most - 4) + ",ann";
      assertEquals(whole.length() <= SummaryBuilder.MAX_VIEWERS_CHARS ? whole : "", seenBy(whole));
      String longer = whole + "abel";
      assertEquals(
          longer.length() <= SummaryBuilder.MAX_VIEWERS_CHARS ? longer : "", seenBy(longer));
    }
  }

  private String seenBy(String viewers) {
    Map<String, String> options = Map.of("tony.application.view-acls", viewers);
    add(
        new JobFact.Described(
            new JobDescription(
                "ada", "q", "n", "f", JobDescription.AzkabanStep.NONE, options, "")));
    return builder.build().viewers();
  }

  @Test
  public void shouldKeepNoLongNamesOfRolesAndNotTooManyOutputs() {
    String much = "x".repeat(201);
    add(
        new JobFact.UsageReport(Map.of(much + ":0", "1 0.10", much + " max", "1 0.10")),
        new TaskFact.Succeeded(new TaskId(much, 0), Map.of("loss", "1"), ""));
    assertEquals(Map.of(), builder.build().peakMemoryMiB());
    assertEquals(Map.of(), builder.build().outputs());

    String name = "x".repeat(195);
    for (int i = 0; i < 9_000; i++) { // longer names than any job has
      add(new TaskFact.Succeeded(new TaskId("w", i), Map.of(name + "a", "1", name + "b", "1"), ""));
    }
    add(
        new TaskFact.Succeeded(WORKER, Map.of("y".repeat(200), "1"), ""),
        new GangFact.Restarted(
            WORKER,
            FailureKind.LOST,
            "",
            1,
            2,
            RetryBudgetOwner.JOB,
            0,
            false,
            "n",
            List.of("worker")));
    assertEquals("nor was it kept", Map.of(), builder.build().outputs());
    add(new TaskFact.Succeeded(WORKER, Map.of("loss", "1"), ""));
    assertEquals("there is room again", Map.of("loss", 1.0), builder.build().outputs());
  }

  @Test
  public void shouldBeReadAsItIsWritten() throws IOException {
    add(RecordedJobs.begin(7));
    JobSummary running = builder.build();
    add(RecordedJobs.end(0.25));

    List<JobSummary> all =
        List.of(
            running,
            builder.build(),
            running.asLost("nobody knows"),
            new SummaryBuilder(RecordedJobs.id(1)).build());
    for (JobSummary job : all) {
      assertEquals(job, SummaryJson.read(SummaryJson.parse(SummaryJson.write(job))));
    }
  }

  @Test
  public void shouldWriteOnlyWhatATerminalMayShow() {
    add(
        new JobFact.Finished(
            JobResult.failed(FailureKind.PROGRAM, "evil \u001b[2J \u202e größer")));

    String json = SummaryJson.write(builder.build());

    assertTrue(json, json.chars().allMatch(c -> c >= ' ' && c <= '~'));
  }

  @Test
  public void shouldRefuseWhatIsNoSummary() {
    for (String line :
        List.of("", "x", "{}", "{\"status\":\"SUCCEEDED\"}", "{\"status\":\"SUCCEEDED\",", "[]")) {
      assertThrows(line, IOException.class, () -> SummaryJson.read(SummaryJson.parse(line)));
    }
  }

  @Test
  public void shouldCountTheTasksAndOutputsThatThereAreAtLast() {
    add(RecordedJobs.begin(7));
    add(
        new TaskFact.Succeeded(new TaskId("worker", 1), Map.of("gone", "9"), ""),
        new ResizeFact.Resized("worker", 2, 1, 1, Map.of(), "YARN took one"));
    assertEquals(1, builder.build().tasks());
    assertEquals(Map.of(), builder.build().outputs());

    add(new ResizeFact.Resized("worker", 1, 5, 1, Map.of(), "the queue has room"));
    assertEquals(5, builder.build().tasks());
  }
}
