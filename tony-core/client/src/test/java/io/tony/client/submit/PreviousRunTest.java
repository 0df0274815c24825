package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.ReportedYarn;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * When an earlier run of a job says what another one would come to, or has what it goes on from.
 */
public class PreviousRunTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final String SAME = "0123";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private final Map<String, String> options =
      new TreeMap<>(Map.of("tony.azkaban.attempt", "2", "tony.azkaban.retries", "3"));
  private final List<EndedApplication> earlier = new ArrayList<>();
  private Instant now = NOON.plusSeconds(10);
  private boolean flowRetry;
  private final ReportedYarn yarn = new ReportedYarn();
  private final Instant begun = Instant.now().minusSeconds(3_600);
  private EndedRuns runs;

  /** One that ended at noon. */
  private static EndedApplication failed(
      int number, FinalApplicationStatus status, String stderr, Duration ran, boolean futile) {
    ApplicationReport report = Records.newRecord(ApplicationReport.class);
    report.setApplicationId(ApplicationId.newInstance(1, number));
    report.setFinalApplicationStatus(status);
    report.setFinishTime(NOON.toEpochMilli());
    Instant begun = NOON.minus(ran);
    TaskFact.Failed failed =
        new TaskFact.Failed(
            WORKER, FailureKind.PROGRAM, "exited with code 7", 7, stderr, "", "node", "log");
    JobResult result =
        new JobResult(JobResult.Status.FAILED, FailureKind.PROGRAM, "it failed", WORKER, 7, futile);
    EndedApplication.Builder events = new EndedApplication.Builder();
    events.add(new TaskFact.Started(WORKER, 1).toEvent(begun, 0));
    events.add(failed.toEvent(NOON, 0));
    events.add(new JobFact.Finished(result).toEvent(NOON, 0));
    EndedApplication read = events.build(report);
    return new EndedApplication(
        report,
        Map.of(
            "tony.azkaban.specification",
            SAME,
            "tony.azkaban.execution",
            "7",
            "tony.application.checkpoint-dir",
            "hdfs://c/7"),
        read.result(),
        read.failureSignature());
  }

  private static EndedApplication failed(int number, String stderr) {
    return failed(number, FinalApplicationStatus.FAILED, stderr, Duration.ofSeconds(30), false);
  }

  private PreviousRun repeated() {
    return new PreviousRun(
        TonyConfig.builder().layer("test", options).build(), now, flowRetry, earlier);
  }

  private boolean isFutile(String specification) throws IOException {
    return repeated().futileRetry(() -> List.of(specification)).isPresent();
  }

  @Test
  public void shouldBeFutileAfterTheSameFailureTwice() throws Exception {
    earlier.add(failed(2, "ValueError: bad record 12"));
    assertFalse(isFutile(SAME));

    earlier.add(failed(1, "ValueError: bad record 7"));

    assertTrue(isFutile(SAME));
    assertFalse("another program", isFutile("4567"));
  }

  @Test
  public void shouldNotBeFutileAfterAnotherFailure() throws Exception {
    earlier.add(failed(2, "ValueError: bad record 12"));
    earlier.add(failed(1, "KeyError: 'petal'"));

    assertFalse(isFutile(SAME));
  }

  /** It may come further each time, and tells nobody. */
  @Test
  public void shouldNotBeFutileAfterRunsOfMinutesThatToldNoProgress() throws Exception {
    for (int number = 2; number > 0; number--) {
      earlier.add(
          failed(
              number, FinalApplicationStatus.FAILED, "ValueError", Duration.ofMinutes(3), false));
    }

    assertFalse(isFutile(SAME));
  }

  @Test
  public void shouldNotBeFutileWhereTheAuthorWaitsBetweenAttempts() throws Exception {
    earlier.add(failed(2, "no such file"));
    earlier.add(failed(1, "no such file"));
    now = NOON.plus(Duration.ofMinutes(5));

    assertFalse(isFutile(SAME));
  }

  @Test
  public void shouldNotBeFutileWhereAPersonAsksOrEveryRetryIsWanted() throws Exception {
    earlier.add(failed(2, "no such file"));
    earlier.add(failed(1, "no such file"));
    options.put("tony.azkaban.attempt", "4");
    assertFalse(isFutile(SAME));

    options.put("tony.azkaban.attempt", "2");
    options.put("tony.gang.stop-repeated-failures", "false");
    assertFalse(isFutile(SAME));
  }

  @Test
  public void shouldNotBeFutileAfterAKill() throws Exception {
    earlier.add(
        failed(2, FinalApplicationStatus.KILLED, "no such file", Duration.ofSeconds(1), true));

    assertFalse(isFutile(SAME));
  }

  @Test
  public void shouldBeFutileAfterARunThatSaysSoInAFlowRetryToo() throws Exception {
    flowRetry = true;
    options.put("tony.azkaban.attempt", "0");
    earlier.add(
        failed(2, FinalApplicationStatus.FAILED, "ValueError", Duration.ofSeconds(1), true));

    Optional<ExistingApplication> futile = repeated().futileRetry(() -> List.of(SAME));

    assertEquals(
        "nothing is submitted: application_1_0002 of an earlier execution of this step, with the"
            + " same options and files, failed as any further one would; its result is taken",
        futile.orElseThrow().message());
  }

  @Test
  public void shouldHaveTheCheckpointsOfWhatAFlowRetryRepeats() {
    earlier.add(failed(2, "ValueError"));
    flowRetry = true;
    options.put("tony.azkaban.attempt", "0");
    assertEquals(Optional.of("hdfs://c/7"), repeated().checkpointFolder());

    options.put("tony.checkpoint.resume", "never");
    assertEquals(Optional.empty(), repeated().checkpointFolder());
    options.remove("tony.checkpoint.resume");
    options.put("tony.application.checkpoint-dir", "/mine");
    assertEquals(Optional.empty(), repeated().checkpointFolder());
  }

  /** That one may have been a flow retry, or have begun beside another execution of the step. */
  @Test
  public void shouldHaveTheCheckpointsOfTheAttemptBeforeIt() {
    assertEquals("none has run", Optional.empty(), repeated().checkpointFolder());

    EndedApplication lost = failed(3, "lost");
    earlier.add(new EndedApplication(lost.report(), Map.of(), null, "")); // before it was described
    earlier.add(failed(2, "ValueError"));

    assertEquals(Optional.of("hdfs://c/7"), repeated().checkpointFolder());
  }

  @Test
  public void shouldBeFutileInTheLastAttemptThatAzkabanMakesByItself() throws Exception {
    earlier.add(failed(2, "no such file"));
    earlier.add(failed(1, "no such file"));
    options.put("tony.azkaban.attempt", "3");

    assertTrue(isFutile(SAME));
  }

  /** What a run has shown by itself needs no second one, and two need to be of the same job. */
  @Test
  public void shouldBeFutileByTheFilesOfThoseThatShowIt() throws Exception {
    EndedApplication first = failed(1, "no such file");
    EndedApplication another =
        new EndedApplication(
            first.report(),
            Map.of("tony.azkaban.specification", "4567"),
            first.result(),
            first.failureSignature());
    earlier.add(
        failed(2, FinalApplicationStatus.FAILED, "no such file", Duration.ofSeconds(1), true));
    earlier.add(another);
    assertTrue(isFutile(SAME));

    earlier.set(0, failed(2, "no such file"));
    assertFalse(isFutile(SAME));
  }

  // ---- Which run it is ----

  /** As Azkaban tells it of a step. */
  @Before
  public void beStep() {
    runs = new EndedRuns(yarn, temporary.getRoot().toPath());
    options.put("tony.azkaban.project", "recommender");
    options.put("tony.azkaban.flow", "nightly");
    options.put("tony.azkaban.execution", "8");
    options.put("tony.azkaban.job", "train");
    options.put("tony.history.location", temporary.getRoot().toURI().toString());
  }

  private TonyConfig config() {
    return TonyConfig.builder().layer("test", options).build();
  }

  /** One whose checkpoints are in the folder of its number. */
  private ApplicationReport failedAttempt(int number) throws IOException {
    runs.logFailure(
        number, Map.of("tony.application.checkpoint-dir", "hdfs://c/" + number), "lost", false);
    return runs.show(
        number, FinalApplicationStatus.FAILED, ApplicationTags.identity(config()).orElseThrow());
  }

  private ApplicationReport failedExecution(int number) throws IOException {
    runs.logFailure(
        number,
        Map.of(
            "tony.azkaban.execution",
            Integer.toString(number),
            "tony.application.checkpoint-dir",
            "hdfs://c/" + number),
        "lost",
        false);
    return runs.show(
        number, FinalApplicationStatus.FAILED, ApplicationTags.step(config()).orElseThrow());
  }

  private PreviousRun found() throws Exception {
    return PreviousRun.of(new Configuration(), yarn, config(), begun);
  }

  /** Where the run that was found had its checkpoints. */
  private Optional<String> folder() throws Exception {
    return found().checkpointFolder();
  }

  @Test
  public void shouldRepeatTheNewestAttemptOfThisExecution() throws Exception {
    assertEquals("there is none", Optional.empty(), folder());
    failedAttempt(3);
    failedAttempt(5);
    failedAttempt(4);
    failedExecution(6);

    assertEquals(Optional.of("hdfs://c/5"), folder());
    options.put("tony.azkaban.attempt", "0");
    assertEquals("the first one repeats nothing", Optional.empty(), folder());
  }

  /** Ids begin at 1 again in an Azkaban that was installed anew. */
  @Test
  public void shouldRepeatNoAttemptOfBeforeThisExecution() throws Exception {
    failedAttempt(3).setStartTime(begun.toEpochMilli());
    assertEquals(Optional.empty(), folder());

    failedAttempt(3).setStartTime(begun.toEpochMilli() + 1_000);
    assertEquals(Optional.of("hdfs://c/3"), folder());
  }

  @Test
  public void shouldRepeatNothingOfBeforeASuccess() throws Exception {
    failedAttempt(3);
    runs.show(
        4, FinalApplicationStatus.SUCCEEDED, ApplicationTags.identity(config()).orElseThrow());
    assertEquals(Optional.empty(), folder());

    failedAttempt(5);
    assertEquals(Optional.of("hdfs://c/5"), folder());
  }

  /** The newest may have ended before it was described. */
  @Test
  public void shouldReadTheLogsOfTheFourNewest() throws Exception {
    failedAttempt(3);
    String tag = ApplicationTags.identity(config()).orElseThrow();
    for (int number = 4; number < 7; number++) {
      runs.show(number, FinalApplicationStatus.KILLED, tag);
    }
    assertEquals(Optional.of("hdfs://c/3"), folder());

    runs.show(7, FinalApplicationStatus.KILLED, tag);
    assertEquals(Optional.empty(), folder());
  }

  private void retryFlow() {
    flowRetry = true;
    options.put("tony.azkaban.attempt", "0");
    options.put("tony.azkaban.execution-source", "retry");
  }

  @Test
  public void shouldRepeatTheNewestExecutionInAFlowRetryOnly() throws Exception {
    failedExecution(6);
    failedExecution(7);
    options.put("tony.azkaban.attempt", "0");
    options.put("tony.azkaban.execution-source", "schedule");
    assertEquals(Optional.empty(), folder());

    retryFlow();
    assertEquals(Optional.of("hdfs://c/7"), folder());
    options.put("tony.azkaban.attempt", "1");
    assertEquals("a later attempt has those of this execution", Optional.empty(), folder());
  }

  @Test
  public void shouldRepeatNoExecutionThatEndedADayAgo() throws Exception {
    retryFlow();
    long dayAgo = Instant.now().minus(Duration.ofDays(1)).toEpochMilli();
    failedExecution(6).setFinishTime(dayAgo);
    assertEquals(Optional.empty(), folder());

    ApplicationReport longRun = failedExecution(7);
    longRun.setStartTime(dayAgo - 1_000);
    longRun.setFinishTime(dayAgo + 60_000);
    assertEquals("it trained for long", Optional.of("hdfs://c/7"), folder());
  }

  @Test
  public void shouldRepeatNothingWhereTheJobIsNotAzkabans() throws Exception {
    failedAttempt(3);
    options.remove("tony.azkaban.project");

    assertEquals(Optional.empty(), folder());
    options.put("tony.azkaban.project", "recommender");
    assertEquals(Optional.of("hdfs://c/3"), folder());
  }

  @Test
  public void shouldTellWhoseCheckpointsAFlowRetryHas() throws Exception {
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    failedAttempt(3);
    found().printCheckpointNotice("hdfs://c/3", new JobLog(told));
    assertEquals(
        "each attempt has those of the one before", "", told.toString(StandardCharsets.UTF_8));

    retryFlow();
    failedExecution(7);
    found().printCheckpointNotice("hdfs://c/7", new JobLog(told));

    assertEquals(
        "Azkaban retries the flow: this execution has the checkpoints of execution 7"
            + " (application_1_0007, FAILED), in hdfs://c/7",
        told.toString(StandardCharsets.UTF_8).strip());
  }

  @Test
  public void shouldBeFutileByTheLogsOfEarlierAttempts() throws Exception {
    String tag = ApplicationTags.identity(config()).orElseThrow();
    for (int number = 3; number < 5; number++) {
      runs.logFailure(number, Map.of("tony.azkaban.specification", SAME), "no such file", false);
      runs.show(number, FinalApplicationStatus.FAILED, tag);
    }

    assertEquals(
        "nothing is submitted: application_1_0004 of an earlier attempt of this job and the one"
            + " before it, with the same options and files, failed in the same way; its result is"
            + " taken (tony.gang.stop-repeated-failures=false tries again)",
        found().futileRetry(() -> List.of(SAME)).orElseThrow().message());
  }
}
