package io.tony.client.submit;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.rpc.ServedJob;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.follow.StatusFile;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.Staging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What a step that starts finds in YARN of earlier attempts and executions, and makes of it. */
public class ExistingApplicationsTest {
  private static final Instant START = Instant.parse("2026-11-27T03:00:00Z");

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Configuration conf = new Configuration();
  private final ReportedYarn yarn = new ReportedYarn();
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final Map<String, String> options = new TreeMap<>();
  private EndedRuns runs;

  @Before
  public void beStep() {
    String root = temporary.getRoot().toURI().toString();
    options.putAll(
        Map.of(
            "tony.azkaban.project", "recommender",
            "tony.azkaban.flow", "nightly",
            "tony.azkaban.execution", "8",
            "tony.azkaban.job", "train",
            "tony.azkaban.flow-start", START.toString(),
            "tony.worker.instances", "1",
            "tony.containers.command", "true",
            "tony.staging.location", root + "staging",
            "tony.history.location", root + "history"));
    QueueInfo queue = Records.newRecord(QueueInfo.class);
    queue.setQueueName("default");
    queue.setQueueState(QueueState.RUNNING);
    yarn.showQueue(queue);
    runs = new EndedRuns(yarn, temporary.getRoot().toPath().resolve("history"));
  }

  private TonyConfig config() {
    return TonyConfig.builder().layer("test", options).build();
  }

  private ExistingApplications existing() {
    return new ExistingApplications(
        conf, yarn, config(), new StatusFile(statusFile()), new JobLog(told));
  }

  private Optional<ApplicationId> ofThisExecution() throws Exception {
    return existing().resolveEarlierAttempt();
  }

  private Submission submission() throws Exception {
    return Submission.prepare(conf, yarn, config(), JobFolder.of(temporary.getRoot().toPath()));
  }

  private String identity() {
    return ApplicationTags.identity(config()).orElseThrow();
  }

  private String step() {
    return ApplicationTags.step(config()).orElseThrow();
  }

  /** An attempt of this execution that runs. */
  private void alive(int number) {
    yarn.showAlso(EndedRuns.id(number), YarnApplicationState.ACCEPTED, identity(), step())
        .setStartTime(START.toEpochMilli() + 1_000);
  }

  private java.nio.file.Path statusFile() {
    return temporary.getRoot().toPath().resolve("status");
  }

  private List<String> status() throws IOException {
    return Files.readAllLines(statusFile());
  }

  private List<String> told() {
    return told.toString(StandardCharsets.UTF_8).lines().toList();
  }

  // ---- Attempts of this execution ----

  @Test
  public void shouldFollowTheNewestAttemptThatIsAlive() throws Exception {
    assertEquals("there is none", Optional.empty(), ofThisExecution());
    alive(3);
    alive(4);
    runs.show(5, FinalApplicationStatus.FAILED, identity());

    assertEquals(Optional.of(EndedRuns.id(4)), ofThisExecution());
    assertEquals(
        List.of(
            "application_1_0004 of an earlier attempt of this job is still alive; this attempt"
                + " follows it: "
                + ReportedYarn.TRACKING_URL),
        told());
    assertEquals(List.of(), yarn.kills());
  }

  @Test
  public void shouldFollowNothingForAJobThatIsNotAzkabans() throws Exception {
    alive(3);
    options.remove("tony.azkaban.job");

    assertEquals(Optional.empty(), ofThisExecution());
  }

  @Test
  public void shouldEndAnAttemptThatIsAliveWhereTheAuthorWantsThat() throws Exception {
    alive(3);
    options.put("tony.azkaban.on-existing", "kill");

    assertEquals(Optional.empty(), ofThisExecution());

    assertEquals(List.of("killed by a later client of the same job"), yarn.kills());
    assertEquals(
        "application_1_0003 of an earlier attempt of this job is still alive; it is killed first",
        told().get(0));
    assertEquals(
        "nothing is left to end",
        List.of(),
        status().stream().filter(line -> line.startsWith("ending.id")).toList());
  }

  /** The job type kills what its client did not live to end, when it has had its time. */
  @Test
  public void shouldTellItsStarterWhatItEnds() throws Exception {
    alive(3);
    Staging staging = staging(EndedRuns.id(3));
    staging.create();
    staging.writeConfig(
        TonyConfig.builder().layer("test", Map.of(TaskOptions.STOP_GRACE.key(), "120000")).build());
    options.put("tony.azkaban.on-existing", "kill");
    yarn.failKills(new IllegalStateException("the proxy is closed"));

    assertThrows(IllegalStateException.class, this::ofThisExecution);

    assertTrue(status().toString(), status().contains("ending.id=application_1_0003"));
    assertTrue(status().toString(), status().contains("stop.limit.ms=150000"));
  }

  @Test
  public void shouldRefuseToStartBesideAnAttemptThatIsAliveWhereTheAuthorWantsThat() {
    alive(3);
    options.put("tony.azkaban.on-existing", "fail");

    String refusal = assertThrows(InvalidJobException.class, this::ofThisExecution).getMessage();
    assertEquals(
        "application_1_0003 of an earlier attempt of this job is still alive: wait for its end,"
            + " kill it (tony kill application_1_0003), or set tony.azkaban.on-existing to attach or"
            + " kill",
        refusal);
  }

  @Test
  public void shouldTakeTheResultOfTheAttemptThatSucceeded() throws Exception {
    options.put("tony.azkaban.attempt", "1");
    assertEquals(Optional.empty(), ofThisExecution());
    runs.show(3, FinalApplicationStatus.SUCCEEDED, identity());
    runs.show(4, FinalApplicationStatus.FAILED, identity());

    assertEquals(Optional.of(EndedRuns.id(3)), ofThisExecution());
    assertEquals(
        List.of(
            "application_1_0003 of an earlier attempt of this job has succeeded; its result is"
                + " taken"),
        told());
    options.put("tony.azkaban.attempt", "0");
    assertEquals("the first attempt has none before it", Optional.empty(), ofThisExecution());
  }

  /** The ids of an Azkaban that was installed anew begin at 1 again. */
  @Test
  public void shouldTakeNoResultOfBeforeTheExecution() throws Exception {
    options.put("tony.azkaban.attempt", "1");
    runs.show(3, FinalApplicationStatus.SUCCEEDED, identity())
        .setStartTime(START.minus(Duration.ofHours(1)).toEpochMilli());
    assertEquals(Optional.empty(), ofThisExecution());

    // The clocks of Azkaban and YARN may differ.
    runs.show(3, FinalApplicationStatus.SUCCEEDED, identity())
        .setStartTime(START.minusSeconds(59).toEpochMilli());
    assertEquals(Optional.of(EndedRuns.id(3)), ofThisExecution());
    options.remove("tony.azkaban.flow-start");
    assertEquals("of which is not known", Optional.empty(), ofThisExecution());
  }

  @Test
  public void shouldNameTheCommandThatTellsWhatIsNotKnown() {
    assertEquals(
        "whether an application of an earlier attempt has ended is not known within 10 s: yarn"
            + " application -list -appTags "
            + identity(),
        ExistingApplications.unknownMessage(config(), 10));
  }

  // ---- Other executions, and what this one repeats ----

  private Staging staging(ApplicationId id) throws IOException {
    return new Staging(
        FileSystem.get(conf), temporary.getRoot().toURI() + "staging", id.toString());
  }

  /** The files of execution 7, which keeps its checkpoints there. */
  private Staging stage(ApplicationId id, String checkpoints) throws Exception {
    Map<String, String> other = new TreeMap<>(options);
    other.put("tony.azkaban.execution", "7");
    other.put("tony.azkaban.specification", submission().specificationHashes().get(0));
    other.put("tony.application.checkpoint-dir", checkpoints);
    Staging staging = staging(id);
    staging.create();
    staging.writeConfig(TonyConfig.builder().layer("other", other).build());
    return staging;
  }

  @Test
  public void shouldFollowAnotherExecutionThatWasLeftInsteadOfASubmission() throws Exception {
    ServedJob.SetClock clock = new ServedJob.SetClock();
    try (ServedJob served = new ServedJob(job().spec(), clock, temporary.getRoot())) {
      Credentials credentials = new Credentials();
      served.key.putInto(credentials);
      stage(ReportedYarn.APPLICATION, "hdfs://c/7").writeCredentials(credentials);
      clock.pass(Duration.ofSeconds(91));
      yarn.show(YarnApplicationState.RUNNING, 1, "127.0.0.1", served.server.address().getPort());

      assertEquals(
          Optional.of(ReportedYarn.APPLICATION), existing().resolveReplacement(submission()));
      String last = told().get(told().size() - 1);
      assertTrue(last, last.contains(" was left without a client; options and files are the same"));
    }
  }

  /** Looks beside execution 7, whose client lives. */
  private Optional<ApplicationId> beside(ExistingApplications existing, Submission submission)
      throws Exception {
    ApplicationId id = EndedRuns.id(30);
    Path sign = new Path(staging(id).folder(), "client");
    staging(id).recordClientAlive();
    yarn.showAlso(id, YarnApplicationState.ACCEPTED, step());
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1); // whose looks begin anew
    FutureTask<Optional<ApplicationId>> end =
        new FutureTask<>(() -> existing.resolveReplacement(submission));
    new Thread(end, "instead").start();
    yarn.awaitLooks(2); // the sign was seen after the first
    FileSystem.get(conf).setTimes(sign, System.currentTimeMillis() + 5_000, -1);
    return end.get();
  }

  @Test
  public void shouldSubmitBesideALivingExecutionWithCheckpointsOfItsOwn() throws Exception {
    options.put("tony.checkpoint.scope", "step");
    String ofStep = submission().resolvedConfig().get(JobOptions.CHECKPOINT_DIR);
    stage(EndedRuns.id(30), ofStep);
    Submission submission = submission();
    ExistingApplications existing = existing();

    assertEquals(Optional.empty(), beside(existing, submission));

    String own = CheckpointLocation.executionUri(FileSystem.get(conf), config());
    assertEquals(own, submission.resolvedConfig().get(JobOptions.CHECKPOINT_DIR));
    assertEquals(
        Optional.of(
            "application_1_0030 of execution 7 of this step was found alive, and goes on (to end"
                + " it: tony kill application_1_0030)"),
        existing.leftAliveMessage());
    assertEquals(List.of(), yarn.kills());
  }

  private void retryFlow() throws Exception {
    options.put("tony.azkaban.execution-source", "retry");
    Map<String, String> repeated = new TreeMap<>(options);
    repeated.put("tony.azkaban.execution", "6");
    repeated.put("tony.application.checkpoint-dir", "hdfs://c/6");
    runs.logFailure(20, repeated, "lost", false);
    runs.show(20, FinalApplicationStatus.FAILED, step());
  }

  @Test
  public void shouldGoOnWithTheCheckpointsOfTheExecutionThatAFlowRetryRepeats() throws Exception {
    retryFlow();
    Submission submission = submission();

    assertEquals(Optional.empty(), existing().resolveReplacement(submission));

    assertEquals("hdfs://c/6", submission.resolvedConfig().get(JobOptions.CHECKPOINT_DIR));
    assertEquals(
        List.of(
            "Azkaban retries the flow: this execution has the checkpoints of execution 6"
                + " (application_1_0020, FAILED), in hdfs://c/6"),
        told());
  }

  /** Two applications never write the same checkpoints. */
  @Test
  public void shouldNotGoOnWithCheckpointsThatALivingExecutionWrites() throws Exception {
    stage(EndedRuns.id(30), "hdfs://c/6");
    retryFlow();
    Submission submission = submission();

    assertEquals(Optional.empty(), beside(existing(), submission));

    assertEquals(
        CheckpointLocation.executionUri(FileSystem.get(conf), config()),
        submission.resolvedConfig().get(JobOptions.CHECKPOINT_DIR));
    assertFalse(told().toString(), told().toString().contains("Azkaban retries the flow"));
  }

  @Test
  public void shouldTakeTheResultOfAnAttemptThatThisOneWouldOnlyRepeat() throws Exception {
    options.put("tony.azkaban.attempt", "1");
    options.put("tony.azkaban.retries", "2");
    Submission submission = submission();
    options.put("tony.azkaban.specification", submission.specificationHashes().get(0));
    runs.logFailure(20, options, "no such file", true);
    runs.show(20, FinalApplicationStatus.FAILED, identity());

    assertEquals(Optional.of(EndedRuns.id(20)), existing().resolveReplacement(submission));
    assertEquals(
        List.of(
            "nothing is submitted: application_1_0020 of an earlier attempt of this job, with the"
                + " same options and files, failed as any further one would; its result is taken"),
        told());
  }
}
