package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.fact.JobFact;
import io.tony.fact.TaskFact;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Test;

/**
 * When an earlier run of a job says what another one would come to, or has what it goes on from.
 */
public class RepeatedRunTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final String SAME = "0123";

  private final Map<String, String> options =
      new TreeMap<>(Map.of("tony.azkaban.attempt", "2", "tony.azkaban.retries", "3"));
  private final List<EndedRun> earlier = new ArrayList<>();
  private Instant now = NOON.plusSeconds(10);
  private boolean flowRetry;

  /** One that ended at noon. */
  private static EndedRun failed(
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
    EndedRun.Builder events = new EndedRun.Builder();
    events.add(new TaskFact.Started(WORKER, 1).at(begun, 0));
    events.add(failed.at(NOON, 0));
    events.add(new JobFact.Finished(result).at(NOON, 0));
    EndedRun read = events.build(report);
    return new EndedRun(
        report,
        Map.of(
            "tony.azkaban.specification",
            SAME,
            "tony.azkaban.execution",
            "7",
            "tony.application.checkpoint-dir",
            "hdfs://c/7"),
        read.result(),
        read.failure());
  }

  private static EndedRun failed(int number, String stderr) {
    return failed(number, FinalApplicationStatus.FAILED, stderr, Duration.ofSeconds(30), false);
  }

  private RepeatedRun repeated() {
    return new RepeatedRun(
        TonyConfig.builder().layer("test", options).build(), now, flowRetry, earlier);
  }

  private boolean isFutile(String specification) throws IOException {
    return repeated().futile(() -> List.of(specification)).isPresent();
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
    options.put("tony.am.stop-futile-retries", "false");
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

    Optional<ExistingApplication> futile = repeated().futile(() -> List.of(SAME));

    assertEquals(
        "nothing is submitted: application_1_0002 of an earlier execution of this step, with the"
            + " same options and files, failed as any further one would; its result is taken",
        futile.orElseThrow().told());
  }

  @Test
  public void shouldHaveTheCheckpointsOfWhatAFlowRetryRepeats() {
    earlier.add(failed(2, "ValueError"));
    flowRetry = true;
    options.put("tony.azkaban.attempt", "0");
    assertEquals(Optional.of("hdfs://c/7"), repeated().checkpoints());

    options.put("tony.checkpoint.resume", "never");
    assertEquals(Optional.empty(), repeated().checkpoints());
    options.remove("tony.checkpoint.resume");
    options.put("tony.application.checkpoint-dir", "/mine");
    assertEquals(Optional.empty(), repeated().checkpoints());
  }

  /** That one may have been a flow retry, or have begun beside another execution of the step. */
  @Test
  public void shouldHaveTheCheckpointsOfTheAttemptBeforeIt() {
    assertEquals("none has run", Optional.empty(), repeated().checkpoints());

    EndedRun lost = failed(3, "lost");
    earlier.add(new EndedRun(lost.report(), Map.of(), null, "")); // before it was described
    earlier.add(failed(2, "ValueError"));

    assertEquals(Optional.of("hdfs://c/7"), repeated().checkpoints());
  }
}
