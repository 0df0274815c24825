package io.tony.client.submit;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.rpc.ServedJob;
import io.tony.client.application.OtherClient;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobFolder;
import io.tony.client.output.JobLog;
import io.tony.client.submit.ExistingApplication.AttachDecision;
import io.tony.config.TonyConfig;
import io.tony.container.Staging;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What execution 8 of a step does about the living application of execution 7. */
public class OtherExecutionsTest {
  private static final ApplicationId ID = ReportedYarn.APPLICATION;
  private static final String WHAT = ID + " of execution 7 of this step";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Configuration conf = new Configuration();
  private final ReportedYarn yarn = new ReportedYarn();
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final Map<String, String> options = new TreeMap<>();
  private final Map<String, String> others = new TreeMap<>();
  private ServedJob served; // null where no ApplicationMaster answers
  private Submission submission;
  private OtherExecutions executions;

  @After
  public void close() throws Exception {
    if (served != null) {
      served.close();
    }
  }

  @Before
  public void write() throws Exception {
    options.putAll(
        Map.of(
            "tony.azkaban.project", "recommender",
            "tony.azkaban.flow", "nightly",
            "tony.azkaban.execution", "8",
            "tony.azkaban.job", "train",
            "tony.worker.instances", "1",
            "tony.containers.command", "true",
            "tony.staging.location", temporary.getRoot().toURI() + "staging",
            "tony.history.location", temporary.getRoot().toURI() + "history"));
    QueueInfo queue = Records.newRecord(QueueInfo.class);
    queue.setQueueName("default");
    queue.setQueueState(QueueState.RUNNING);
    yarn.showQueue(queue);
    begin();
    others.putAll(options);
    others.put("tony.azkaban.execution", "7");
    others.put("tony.azkaban.specification", submission.specificationHashes().get(0));
    others.put("tony.application.checkpoint-dir", "hdfs://c/7");
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
  }

  /** Execution 8, with the options as they are now. */
  private void begin() throws Exception {
    submission = Submission.prepare(conf, yarn, config(), JobFolder.of(folder()));
    executions =
        new OtherExecutions(conf, yarn, config(), new JobLog(told), Duration.ofMillis(300));
  }

  private java.nio.file.Path folder() {
    return temporary.getRoot().toPath();
  }

  private TonyConfig config() {
    return TonyConfig.builder().layer("test", options).build();
  }

  private TonyConfig other() {
    return TonyConfig.builder().layer("other", others).build();
  }

  private Staging staging() throws IOException {
    return new Staging(
        FileSystem.get(conf), temporary.getRoot().toURI() + "staging", ID.toString());
  }

  private void stage() throws IOException {
    staging().create();
    staging().writeConfig(other());
  }

  private ExistingApplication found() throws Exception {
    return executions.decide(executions.next().orElseThrow(), submission).orElseThrow();
  }

  private Optional<ExistingApplication> decided(OtherClient client) throws Exception {
    return executions.decideByClient(
        client, yarn.getApplicationReport(ID), WHAT, other(), submission);
  }

  private String refusal(OtherClient client) {
    return assertThrows(InvalidJobException.class, () -> decided(client)).getMessage();
  }

  private String told() {
    return told.toString(StandardCharsets.UTF_8);
  }

  /** The folder that this execution has and no other one. */
  private String ownFolder() throws IOException {
    return CheckpointLocation.executionUri(FileSystem.get(conf), config());
  }

  private String stepFolder() throws IOException {
    return CheckpointLocation.uri(
        FileSystem.get(conf), JobIdentity.ofStep(config()).orElseThrow().folderName());
  }

  // ---- Which are looked at ----

  @Test
  public void shouldLookAtEachOtherExecutionOnceTheNewestFirst() throws Exception {
    String step = ApplicationTags.step(config()).orElseThrow();
    for (int number : new int[] {4, 6, 5}) {
      yarn.showAlso(ApplicationId.newInstance(1, number), YarnApplicationState.RUNNING, step);
    }
    yarn.showAlso(ApplicationId.newInstance(1, 9), YarnApplicationState.RUNNING, "another step");
    yarn.showAlso(ApplicationId.newInstance(1, 8), YarnApplicationState.FINISHED, step);

    for (int number : new int[] {6, 5, 4}) {
      assertEquals(
          Optional.of(number), executions.next().map(report -> report.getApplicationId().getId()));
    }
    assertEquals(Optional.empty(), executions.next());
    yarn.showAlso(ApplicationId.newInstance(1, 7), YarnApplicationState.ACCEPTED, step);
    assertEquals(
        "it began meanwhile",
        Optional.of(7),
        executions.next().map(report -> report.getApplicationId().getId()));
  }

  @Test
  public void shouldLookAtNoneForAJobThatIsNotAzkabans() throws Exception {
    options.keySet().removeIf(key -> key.startsWith("tony.azkaban."));
    begin();

    assertEquals(Optional.empty(), executions.next());
  }

  /** A tag may be anybody's. */
  @Test
  public void shouldTakeNothingForAnotherExecutionByItsTagAlone() throws Exception {
    others.put("tony.azkaban.job", "score");
    stage();

    assertEquals(Optional.empty(), executions.decide(executions.next().orElseThrow(), submission));
    assertEquals("", told());
    assertEquals(Optional.empty(), executions.leftAliveMessage());
  }

  // ---- Its client, as it is seen ----

  @Test
  public void shouldLeaveAloneWhatAClientFollowsThatWaitsForItsMaster() throws Exception {
    stage();
    staging().recordClientAlive();
    Path sign = new Path(staging().folder(), "client");
    long signed = FileSystem.get(conf).getFileStatus(sign).getModificationTime();
    FutureTask<ExistingApplication> decision = new FutureTask<>(this::found);
    new Thread(decision, "decision").start();
    yarn.awaitLooks(2); // one comes before the sign is looked at
    FileSystem.get(conf).setTimes(sign, signed + 5_000, -1);

    ExistingApplication left = decision.get();
    assertEquals(AttachDecision.LEAVE_ALONE, left.decision());
    assertEquals(ID, left.id());
    assertEquals(WHAT + " is alive, and so is its client: it is left alone", left.message());
    assertTrue(
        told(),
        told()
            .startsWith(
                WHAT
                    + " is there already: whether its client still follows it is known in 20 to"
                    + " 90 s"));
    assertEquals(
        "where it is stopped now",
        Optional.of(WHAT + " was found alive, and goes on (to end it: tony kill " + ID + ")"),
        executions.leftAliveMessage());
    assertEquals("it has its own", Optional.empty(), executions.ownFolder());
    assertTrue(executions.isInUse("hdfs://c/7"));
    assertFalse(executions.isInUse("hdfs://c/6"));
  }

  /** By an ApplicationMaster's real server. */
  private void serve(ServedJob.SetClock clock) throws IOException {
    served = new ServedJob(job().spec(), clock, temporary.getRoot());
    stage();
    Credentials credentials = new Credentials();
    served.key.putInto(credentials);
    staging().writeCredentials(credentials);
    yarn.show(YarnApplicationState.RUNNING, 1, "127.0.0.1", served.server.address().getPort());
  }

  @Test
  public void shouldFollowWhatItsClientHasLeftWhereOptionsAndFilesAreTheSame() throws Exception {
    ServedJob.SetClock clock = new ServedJob.SetClock();
    serve(clock);
    clock.pass(Duration.ofSeconds(91));

    ExistingApplication followed = found();

    assertEquals(AttachDecision.FOLLOW, followed.decision());
    assertEquals(
        WHAT
            + " was left without a client; options and files are the same, and this execution"
            + " follows it: "
            + ReportedYarn.TRACKING_URL,
        followed.message());
    assertEquals("it is its own now", Optional.empty(), executions.leftAliveMessage());
  }

  @Test
  public void shouldTakeTheResultOfWhatSucceedsWithoutAClientWhileItIsLookedAt() throws Exception {
    ServedJob.SetClock clock = new ServedJob.SetClock();
    serve(clock);
    clock.pass(Duration.ofSeconds(30));
    FutureTask<ExistingApplication> decision = new FutureTask<>(this::found);
    new Thread(decision, "decision").start();
    yarn.awaitLooks(2); // the second comes when its ApplicationMaster has answered
    yarn.showFinished(FinalApplicationStatus.SUCCEEDED);

    ExistingApplication taken = decision.get();
    assertEquals(AttachDecision.FOLLOW, taken.decision());
    assertEquals(ID, taken.id());
    assertEquals(
        WHAT
            + " has ended meanwhile: SUCCEEDED, without a client; options and files are the same,"
            + " and its result is taken",
        taken.message());
  }

  // ---- What becomes of it ----

  @Test
  public void shouldEndWhatItsClientHasLeftWhereThisExecutionIsAnother() throws Exception {
    others.put("tony.azkaban.specification", "0123");

    ExistingApplication killed = decided(OtherClient.GONE).orElseThrow();

    assertEquals(AttachDecision.KILL, killed.decision());
    assertEquals(
        WHAT
            + " was left without a client, and this execution's options or files are others; it is"
            + " killed first",
        killed.message());
  }

  @Test
  public void shouldEndWhatItsClientHasLeftWhereTheAuthorWantsThat() throws Exception {
    options.put("tony.azkaban.on-existing", "kill");
    begin();

    ExistingApplication killed = decided(OtherClient.GONE).orElseThrow();

    assertEquals(AttachDecision.KILL, killed.decision());
    assertEquals(WHAT + " was left without a client; it is killed first", killed.message());
  }

  @Test
  public void shouldRefuseToStartBesideWhatItsClientHasLeftWhereTheAuthorWantsThat()
      throws Exception {
    options.put("tony.azkaban.on-existing", "fail");
    begin();

    assertEquals(
        WHAT
            + " was left without a client: wait for its end, kill it (tony kill "
            + ID
            + "), or set tony.azkaban.on-existing to attach or kill",
        refusal(OtherClient.GONE));
  }

  @Test
  public void shouldRunAnewWhatEndedWithoutAResultToTake() throws Exception {
    yarn.showFinished(FinalApplicationStatus.FAILED);
    assertEquals("it failed", Optional.empty(), decided(OtherClient.ENDED_ALONE));
    assertEquals(
        WHAT + " has ended meanwhile: FAILED; this execution runs the step anew", told().strip());

    yarn.showFinished(FinalApplicationStatus.SUCCEEDED);
    assertEquals("its client has the result", Optional.empty(), decided(OtherClient.ENDED));
    others.put("tony.azkaban.specification", "0123");
    assertEquals("it was another", Optional.empty(), decided(OtherClient.ENDED_ALONE));
    others.put("tony.azkaban.specification", submission.specificationHashes().get(0));
    options.put("tony.azkaban.on-existing", "kill");
    begin();
    assertEquals("nobody wants it", Optional.empty(), decided(OtherClient.ENDED_ALONE));
    assertEquals(4, told().lines().count());
  }

  /** It trains nothing yet. */
  @Test
  public void shouldLeaveAloneWhatWaitsForItsMaster() throws Exception {
    ExistingApplication left = decided(OtherClient.UNKNOWN).orElseThrow();

    assertEquals(AttachDecision.LEAVE_ALONE, left.decision());
    assertEquals(WHAT + " waits for its ApplicationMaster: it is left alone", left.message());
  }

  /** It may train unheard. */
  @Test
  public void shouldEndWhatRunsAndIsNotHeard() throws Exception {
    yarn.show(YarnApplicationState.RUNNING, 1, "127.0.0.1", 7_000);

    ExistingApplication killed = decided(OtherClient.UNKNOWN).orElseThrow();

    assertEquals(AttachDecision.KILL, killed.decision());
    String silent = WHAT + " has an ApplicationMaster that has not answered for 90 s";
    assertEquals(silent + "; it is killed first", killed.message());
    options.put("tony.azkaban.on-existing", "fail");
    begin();
    String refusal = refusal(OtherClient.UNKNOWN);
    assertTrue(refusal, refusal.startsWith(silent + ": wait for its end, kill it"));
  }

  // ---- Checkpoints ----

  @Test
  public void shouldKeepTheCheckpointsOfTheStepForWhatIsLeftAlone() throws Exception {
    options.put("tony.checkpoint.scope", "step");
    begin();
    others.put("tony.application.checkpoint-dir", stepFolder());

    ExistingApplication left = decided(OtherClient.ALIVE).orElseThrow();

    assertEquals(AttachDecision.LEAVE_ALONE, left.decision());
    assertEquals(Optional.of(ownFolder()), executions.ownFolder());
    assertEquals(
        WHAT
            + " is alive, and so is its client: it is left alone, with the step's checkpoints."
            + " This execution keeps its own in "
            + ownFolder(),
        left.message());
  }

  /** As of an attempt of this execution that began when the step's folder was another's. */
  @Test
  public void shouldShareTheCheckpointsOfNoneThatIsLeftAlone() throws Exception {
    options.put("tony.checkpoint.scope", "step");
    begin();
    others.put("tony.application.checkpoint-dir", ownFolder());
    decided(OtherClient.ALIVE);
    others.put("tony.application.checkpoint-dir", stepFolder());
    decided(OtherClient.ALIVE);

    assertEquals(Optional.of(ownFolder() + "-" + submission.id()), executions.ownFolder());
  }

  @Test
  public void shouldRefuseToWriteTheNamedCheckpointsOfWhatIsLeftAlone() throws Exception {
    options.put("tony.application.checkpoint-dir", "hdfs://c/7");
    begin();

    assertEquals(
        WHAT
            + " is alive, and so is its client; both would write the checkpoints of"
            + " tony.application.checkpoint-dir=hdfs://c/7: wait for its end, kill it (tony kill "
            + ID
            + "), or give each execution a folder of its own, with ${azkaban.flow.execid} in its"
            + " name",
        refusal(OtherClient.ALIVE));
  }

  // ---- One whose files cannot be read ----

  @Test
  public void shouldLeaveAloneWhatCannotBeReadAndKeepAwayFromItsCheckpoints() throws Exception {
    ExistingApplication left = found();

    assertEquals(AttachDecision.LEAVE_ALONE, left.decision());
    assertEquals(
        ID + " has the tag of this step, and its files cannot be read: it is left alone",
        left.message());
    assertEquals(Optional.of(ownFolder()), executions.ownFolder());
    assertTrue("it may have any", executions.isInUse("hdfs://c/6"));
  }

  @Test
  public void shouldKeepTheNamedCheckpointsBesideWhatCannotBeRead() throws Exception {
    options.put("tony.application.checkpoint-dir", "hdfs://c/8");
    begin();

    assertEquals(AttachDecision.LEAVE_ALONE, found().decision());
    assertEquals(Optional.empty(), executions.ownFolder());
  }

  /** An ApplicationMaster deletes its files shortly before its end is shown. */
  @Test
  public void shouldTakeForEndedWhatEndsSoonAfterItsFilesAreGone() throws Exception {
    executions =
        new OtherExecutions(conf, yarn, config(), new JobLog(told), Duration.ofMinutes(10));
    ApplicationReport report = executions.next().orElseThrow();
    FutureTask<Optional<ExistingApplication>> decision =
        new FutureTask<>(() -> executions.decide(report, submission));
    new Thread(decision, "decision").start();
    yarn.awaitLooks(2);
    assertFalse("it is waited for", decision.isDone());
    yarn.showFinished(FinalApplicationStatus.SUCCEEDED);

    assertEquals(Optional.empty(), decision.get());
    assertFalse(executions.isInUse("hdfs://c/6"));
    assertFalse(Files.exists(folder().resolve("staging").resolve(ID.toString())));
  }
}
