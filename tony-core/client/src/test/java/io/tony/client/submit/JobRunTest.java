package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import io.tony.client.application.RunningApplication;
import io.tony.client.follow.EventReplay;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.follow.StatusFile;
import io.tony.client.input.JobFolder;
import io.tony.client.login.Login;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.option.ConfigOption;
import io.tony.container.Staging;
import io.tony.event.JobFact;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A later attempt of a job, with a ResourceManager that shows what an earlier one left. */
public class JobRunTest {
  private static final String SIGNAL = "a signal to its client";

  private static final Map<String, String> WORKER =
      Map.of("tony.worker.instances", "1", "tony.containers.command", "true");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ReportedYarn yarn = new ReportedYarn();
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();

  private JobRun attempt() {
    return attempt(statusFile(), Map.of());
  }

  private JobRun attempt(Path statusFile, Map<String, String> more) {
    return attempt(new ReportTargets(statusFile, null, true, false), more);
  }

  private JobRun attempt(ReportTargets reports, Map<String, String> more) {
    return new JobRun(
        new Configuration(),
        yarn,
        Login.byTicket(),
        config(more),
        JobFolder.of(Path.of("")),
        reports,
        new JobLog(told));
  }

  private TonyConfig config(Map<String, String> more) {
    Map<String, String> values = new HashMap<>();
    for (ConfigOption<String> option : AzkabanOptions.identity()) {
      values.put(option.key(), "a");
    }
    String root = temporary.getRoot().toURI().toString();
    values.put(ClientOptions.STAGING_LOCATION.key(), root + "staging");
    values.put(ClientOptions.HISTORY_LOCATION.key(), root + "history");
    return TonyConfig.builder().layer("test", values).layer("more", more).build();
  }

  private Path statusFile() {
    return temporary.getRoot().toPath().resolve("status");
  }

  private List<String> status() throws IOException {
    return Files.readAllLines(statusFile());
  }

  private List<String> told() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** What a program reads. */
  private List<JobEvent> events() {
    return EventReplay.of(told());
  }

  private static Thread start(FutureTask<?> what) {
    Thread thread = new Thread(what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Test
  public void shouldKillWhatItFindsOnlyAfterItWasStopped() throws Exception {
    JobRun attempt = attempt();
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.holdSearches();
    FutureTask<ExitCode> end = new FutureTask<>(attempt::run);
    start(end);
    yarn.awaitSearch();
    FutureTask<Boolean> cancel = new FutureTask<>(() -> attempt.cancel(SIGNAL));
    Thread cancelling = start(cancel);
    while (cancelling.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait(); // it waits for the answer to the search
    }
    yarn.answerSearches();

    assertTrue("it has ended", cancel.get());
    assertEquals(ExitCode.TERMINATED, end.get());
    assertEquals(List.of("killed by " + SIGNAL), yarn.kills());
    String id = ReportedYarn.APPLICATION.toString();
    assertTrue(told().toString(), told().contains("KILLED: " + id + " was stopped by " + SIGNAL));
    assertFalse(told().toString(), told().toString().contains("before the submission"));
  }

  /** The job type kills a client that takes longer. */
  @Test
  public void shouldTellItsStarterTheGraceOfTheJobThatItFollows() throws Exception {
    Staging staging =
        new Staging(
            FileSystem.get(new Configuration()),
            temporary.getRoot().toURI() + "staging",
            ReportedYarn.APPLICATION.toString());
    staging.create();
    staging.writeConfig(
        TonyConfig.builder().layer("test", Map.of(TaskOptions.STOP_GRACE.key(), "120000")).build());
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

    attempt().run();

    assertTrue(status().toString(), status().contains("stop.limit.ms=150000"));
  }

  @Test
  public void shouldGiveUpWhatHasNotStartedSinceAnEarlierAttemptSubmittedIt() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.showTimes(System.currentTimeMillis() - Duration.ofHours(1).toMillis(), 0, 0);

    attempt(statusFile(), Map.of(AmOptions.STARTUP_TIMEOUT.key(), "10m")).run();

    assertEquals(List.of("killed by the client: tony.am.startup-timeout has passed"), yarn.kills());
  }

  @Test
  public void shouldNotGiveUpWhatAPersonFollows() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.showTimes(System.currentTimeMillis() - Duration.ofHours(1).toMillis(), 0, 0);
    JobRun person =
        attempt((Path) null, Map.of(AmOptions.STARTUP_TIMEOUT.key(), "10m")).watchOnly();
    FutureTask<ExitCode> end = new FutureTask<>(() -> person.follow(ReportedYarn.APPLICATION));
    start(end);
    yarn.awaitLooks(5);
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

    end.get();
    assertEquals(List.of(), yarn.kills());
    assertFalse(told().toString(), told().toString().contains(AmOptions.STARTUP_TIMEOUT.key()));
  }

  @Test
  public void shouldNotGiveUpWhatAnEarlierAttemptHasJustSubmitted() throws Exception {
    long minuteAgo = System.currentTimeMillis() - 60_000;
    for (long submitted : new long[] {minuteAgo, 0}) { // of the latter, YARN does not tell
      yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
      yarn.showTimes(submitted, 0, 0);
      JobRun attempt = attempt(statusFile(), Map.of(AmOptions.STARTUP_TIMEOUT.key(), "10m"));
      FutureTask<ExitCode> end = new FutureTask<>(attempt::run);
      start(end);
      yarn.awaitLooks(3);
      assertTrue(
          "whoever started it can kill it",
          status().contains("application.id=" + ReportedYarn.APPLICATION));
      yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

      end.get();
      assertFalse(told().toString(), told().toString().contains(AmOptions.STARTUP_TIMEOUT.key()));
    }
  }

  /** Its files are gone with its ApplicationMaster, and its log stays. */
  @Test
  public void shouldTellTheCheckpointsOfWhatHasEnded() throws Exception {
    EndedRuns runs = new EndedRuns(yarn, temporary.getRoot().toPath().resolve("history"));
    runs.logFailure(3, Map.of("tony.application.checkpoint-dir", "hdfs://c/7"), "lost", false);
    runs.show(3, FinalApplicationStatus.FAILED);
    Path outputs = temporary.getRoot().toPath().resolve("outputs.json");

    attempt(new ReportTargets(statusFile(), outputs, true, false), WORKER).follow(EndedRuns.id(3));

    String written = Files.readString(outputs);
    assertTrue(written, written.contains("hdfs://c/7"));
  }

  @Test
  public void shouldPromiseNoEndWhereTheKillFailsInAnUnexpectedWay() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.failKills(new IllegalStateException("the proxy is closed"));
    JobRun attempt = attempt();
    FutureTask<ExitCode> end = new FutureTask<>(attempt::run);
    start(end);
    yarn.awaitLooks(2);

    assertFalse(attempt.cancel(SIGNAL));
    String last = told().get(told().size() - 1);
    assertTrue(last, last.startsWith("whether " + ReportedYarn.APPLICATION + " has ended is not"));
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);
    end.get();
  }

  @Test
  public void shouldLeaveAloneWhatAPersonStopsFollowing() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    JobRun person = attempt((Path) null, Map.of()).watchOnly();
    FutureTask<ExitCode> end = new FutureTask<>(() -> person.follow(ReportedYarn.APPLICATION));
    start(end);
    yarn.awaitLooks(3); // two come before it says how one leaves it

    assertFalse("its end is not promised", person.cancel(SIGNAL));
    assertEquals(List.of(), yarn.kills());
    String id = ReportedYarn.APPLICATION.toString();
    List<String> lines = told().stream().filter(line -> line.startsWith(id)).toList();
    assertEquals(
        List.of(
            id + " goes on when you leave with Ctrl-C; to end it: tony kill " + id,
            id + " goes on without this client"),
        lines);
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);
    end.get();
  }

  /** The job type's, which takes the place of the one that submitted it. */
  @Test
  public void shouldEndWhatAClientOfAStarterFollows() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    JobRun second = attempt();
    FutureTask<ExitCode> end = new FutureTask<>(() -> second.follow(ReportedYarn.APPLICATION));
    start(end);
    yarn.awaitLooks(2);

    assertTrue(second.cancel(SIGNAL));
    assertEquals(List.of("killed by " + SIGNAL), yarn.kills());
    assertEquals(ExitCode.TERMINATED, end.get());
  }

  @Test
  public void shouldTellProgramsWhatItFollows() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    FutureTask<ExitCode> end = new FutureTask<>(attempt()::run);
    start(end);
    yarn.awaitLooks(2);
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

    assertEquals(ExitCode.INFRASTRUCTURE, end.get());
    JobEvent submitted = events().get(0);
    assertEquals(JobEvent.Type.JOB_SUBMITTED, submitted.type());
    assertEquals(
        Map.of(
            "application",
            ReportedYarn.APPLICATION.toString(),
            "queue",
            "ml",
            "trackingUrl",
            ReportedYarn.TRACKING_URL),
        submitted.details());
    assertEquals(
        "it did not submit it",
        List.of(),
        told().stream().filter(line -> line.contains(" submitted to queue ")).toList());
  }

  /** The ids of an Azkaban that was installed anew begin at 1 again. */
  @Test
  public void shouldTakeNothingForItsOwnThatBeganBeforeItsExecution() throws Exception {
    Instant start = Instant.parse("2026-11-27T03:00:00Z");
    Map<String, String> values = new HashMap<>();
    AzkabanOptions.identity().forEach(option -> values.put(option.key(), "a"));
    values.put(AzkabanOptions.FLOW_START.key(), start.toString());
    ExistingApplications existing =
        new ExistingApplications(
            new Configuration(),
            yarn,
            TonyConfig.builder().layer("test", values).build(),
            new StatusFile(null),
            new JobLog(told));
    yarn.show(YarnApplicationState.RUNNING, 1, "N/A", -1);
    yarn.showTimes(start.minus(Duration.ofHours(1)).toEpochMilli(), 0, 0);

    assertEquals(Optional.empty(), existing.resolveEarlierAttempt());

    yarn.showTimes(start.plusSeconds(1).toEpochMilli(), 0, 0);
    assertEquals(Optional.of(ReportedYarn.APPLICATION), existing.resolveEarlierAttempt());
  }

  /** What hangs after such a run may be ended: the job is not on the cluster. */
  @Test
  public void shouldBeAbandonedAlsoAfterItsEndIfItSubmittedNothing() throws Exception {
    JobRun unsubmitted = attempt((Path) null, Map.of(AzkabanOptions.DRY_RUN.key(), "true"));
    assertThrows(IOException.class, unsubmitted::run); // the queue cannot be looked at
    assertTrue(unsubmitted.tryAbandon());

    JobRun ended = attempt();
    yarn.show(YarnApplicationState.FINISHED, 1, "N/A", -1);
    ended.run();
    assertFalse(ended.tryAbandon());
  }

  @Test
  public void shouldTellProgramsTheEndThatOnlyYarnKnows() throws Exception {
    yarn.show(YarnApplicationState.FAILED, 2, "N/A", -1);

    assertEquals(ExitCode.INFRASTRUCTURE, attempt().run());
    List<JobEvent> events = events();
    assertEquals(2, events.size());
    assertEquals(JobEvent.Type.JOB_FINISHED, events.get(1).type());
    assertEquals(
        JobResult.failed(
            FailureKind.AM_LOST,
            "the ApplicationMaster was lost; 2 were tried (tony.am.max-attempts)."
                + " YARN says: AM Container exited with 137"),
        JobFact.Finished.of(events.get(1)).result());
  }

  /** YARN takes the application, and its answer does not come. */
  private void handOver() throws Exception {
    yarn.showQueue(queue());
    yarn.failSubmissions(new IOException("the answer was lost"));
    Submission submission =
        Submission.prepare(new Configuration(), yarn, config(WORKER), JobFolder.of(Path.of("")));
    submission.createStaging();
    RunningApplication application =
        RunningApplication.of(new Configuration(), yarn, config(WORKER), submission.id());
    JobRun attempt = attempt();
    IOException lost =
        assertThrows(IOException.class, () -> attempt.submitOrKill(submission, application));
    assertEquals("the answer was lost", lost.getMessage());
  }

  private static QueueInfo queue() {
    QueueInfo queue = Records.newRecord(QueueInfo.class);
    queue.setQueueName("default");
    queue.setQueueState(QueueState.RUNNING);
    return queue;
  }

  private Path staged() {
    Path staging = temporary.getRoot().toPath().resolve("staging");
    return staging.resolve(ReportedYarn.APPLICATION.toString());
  }

  @Test
  public void shouldKillWhatYarnMayHaveTakenWhereTheAnswerIsLost() throws Exception {
    handOver();

    assertEquals(1, yarn.kills().size());
    assertFalse("it has no files any more", Files.exists(staged()));
    assertTrue(status().toString(), status().contains("state=FAILED"));
  }

  @Test
  public void shouldLeaveTheFilesOfWhatYarnMayHaveWhereItCannotBeKilled() throws Exception {
    yarn.failKills(new IllegalStateException("the proxy is closed"));

    handOver();

    assertTrue("it may run", Files.exists(staged()));
    assertFalse("whoever started this client kills it", Files.exists(statusFile()));
  }

  /** The folder is the Azkaban executor's, whose disk may be full. */
  @Test
  public void shouldEndAsTheJobThoughItsOutputsCannotBeWritten() throws Exception {
    yarn.showFinished(FinalApplicationStatus.SUCCEEDED);
    Path gone = temporary.getRoot().toPath().resolve("gone/outputs.json");

    assertEquals(
        ExitCode.SUCCEEDED,
        attempt(new ReportTargets(statusFile(), gone, true, false), WORKER).run());

    assertTrue(status().toString(), status().contains("state=SUCCEEDED"));
    List<String> warnings =
        told().stream().filter(line -> line.startsWith("warning: not everything")).toList();
    assertEquals(told().toString(), 1, warnings.size());
    assertTrue(warnings.toString(), warnings.get(0).contains("outputs.json"));
    assertTrue(told().toString(), told().stream().anyMatch(line -> line.startsWith("SUCCEEDED ")));
  }

  /** What fails is this client; the job may train on. */
  @Test
  public void shouldNotTakeAFailureOfItsOwnForTheEndOfTheJob() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    FutureTask<ExitCode> end = new FutureTask<>(attempt()::run);
    start(end);
    yarn.awaitLooks(2);

    yarn.failLooks(new IllegalStateException("the proxy is closed"));

    assertEquals(ExitCode.END_UNKNOWN, end.get());
    String last = told().get(told().size() - 1);
    String words = "whether " + ReportedYarn.APPLICATION + " has ended is not known to this client";
    assertTrue(last, last.startsWith(words) && last.contains("the proxy is closed"));
    assertFalse(status().toString(), status().contains("state=FAILED"));
  }
}
