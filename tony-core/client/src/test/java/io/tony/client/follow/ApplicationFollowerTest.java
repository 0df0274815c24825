package io.tony.client.follow;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.RunningApplication;
import io.tony.client.narrate.Narrator;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.container.Staging;
import io.tony.event.JobFact;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.SharedFolder;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** How often a client looks at an application that has no ApplicationMaster to be asked. */
public class ApplicationFollowerTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Configuration conf = new Configuration();
  private final ReportedYarn yarn = new ReportedYarn();
  private final List<Duration> waits = new ArrayList<>();

  /** Time passes only while the client waits; then YARN shows what the test has it. */
  private final class Waits extends CountDownLatch {
    private final Map<Duration, Runnable> changes;
    private Duration now = Duration.ZERO;

    Waits(Map<Duration, Runnable> changes) {
      super(1);
      this.changes = changes;
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) {
      Duration wait = Duration.of(timeout, unit.toChronoUnit());
      Duration until = now.plus(wait);
      waits.add(wait);
      changes.forEach(
          (at, change) -> {
            if (at.compareTo(now) > 0 && at.compareTo(until) <= 0) {
              change.run();
            }
          });
      now = until;
      return false;
    }
  }

  private RunningApplication application(CountDownLatch ending) throws IOException {
    Staging staging =
        new Staging(
            FileSystem.get(conf),
            temporary.getRoot().toURI() + "staging",
            ReportedYarn.APPLICATION.toString());
    return new RunningApplication(
        conf, yarn, ReportedYarn.APPLICATION, staging, Duration.ofSeconds(20), ending);
  }

  private JobResult followed(RunningApplication application, Map<String, String> more)
      throws Exception {
    return followed(application, more, Duration.ZERO);
  }

  /** {@code age} is how long ago the application was submitted. */
  private JobResult followed(RunningApplication application, Map<String, String> more, Duration age)
      throws Exception {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    ClientOptions.HISTORY_LOCATION.key(), temporary.getRoot().toURI() + "history"))
            .layer("more", more)
            .build();
    JobLog out = new JobLog(new ByteArrayOutputStream());
    return new ApplicationFollower(
            conf, config, application, out, new StatusFile(null), new Narrator(out, false, true))
        .followToEnd(StartLimit.of(config, age));
  }

  private void show(YarnApplicationState state, int attempt) {
    yarn.show(state, attempt, "N/A", -1);
  }

  @Test
  public void shouldLookSeldomInAnHourThatChangesNothing() throws Exception {
    show(YarnApplicationState.ACCEPTED, 1);
    Waits hour = new Waits(Map.of(HOUR, () -> show(YarnApplicationState.FAILED, 1)));

    assertEquals(JobResult.Status.FAILED, followed(application(hour), Map.of()).status());

    assertTrue(waits.size() + " looks", waits.size() < 100 + 3_600 / 5 + 10);
    assertEquals("four seconds in which it may start", 40, waits.indexOf(Duration.ofMillis(400)));
    assertEquals("the end is seen", Duration.ofSeconds(5), waits.get(waits.size() - 1));
  }

  @Test
  public void shouldLookOftenAgainWhenTheNextMasterIsToStart() throws Exception {
    show(YarnApplicationState.ACCEPTED, 1);
    Waits hour =
        new Waits(
            Map.of(
                HOUR,
                () -> show(YarnApplicationState.ACCEPTED, 2),
                HOUR.plusSeconds(8),
                () -> show(YarnApplicationState.FAILED, 2)));

    followed(application(hour), Map.of());

    int change = waits.lastIndexOf(Duration.ofSeconds(5)) + 1;
    assertEquals(
        Duration.ofMillis(100),
        waits.subList(change, change + 40).stream().max(Duration::compareTo).orElseThrow());
  }

  @Test
  public void shouldNotLookAwayBeyondTheLimitOfTheStart() throws Exception {
    show(YarnApplicationState.ACCEPTED, 1);
    CountDownLatch real = new CountDownLatch(1);

    long start = System.nanoTime();
    JobResult result = followed(application(real), Map.of("tony.am.startup-timeout", "50ms"));

    assertTrue(result.message(), result.message().contains("(tony.am.startup-timeout)"));
    assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
  }

  /** It has registered, and then its file system does not answer, or its node. */
  @Test
  public void shouldGiveUpAMasterThatIsShownAndTellsNothing() throws Exception {
    yarn.show(YarnApplicationState.RUNNING, 1, "127.0.0.1", 1);
    CountDownLatch real = new CountDownLatch(1);

    JobResult result = followed(application(real), Map.of("tony.am.startup-timeout", "50ms"));

    assertEquals(FailureKind.TIMEOUT, result.kind());
    assertTrue(result.message(), result.message().contains("has reported nothing within"));
    assertEquals(1, yarn.kills().size());
  }

  /**
   * Its tasks train on, whoever follows them by now, and however long the next may be in coming.
   */
  @Test
  public void shouldNotGiveUpAJobThatAnApplicationMasterHasBegun() throws Exception {
    writeLog(
        new JobEvent(Instant.EPOCH, JobEvent.Type.AM_STARTED, 0, null, Map.of("attempt", "1")));

    assertEquals(FailureKind.AM_LOST, followedAfterItsLimit(Map.of()).kind());
    assertEquals(List.of(), yarn.kills());
  }

  @Test
  public void shouldGiveUpWhatWasSubmittedLongBeforeThisClientCame() throws Exception {
    JobResult result = followedAfterItsLimit(Map.of());

    assertTrue(result.message(), result.message().contains("did not start within 10m 0s"));
    assertEquals(1, yarn.kills().size());
    assertEquals(List.of(), waits);
  }

  @Test
  public void shouldNotGiveUpAJobOfWhichItCannotTellWhetherItHasBegun() throws Exception {
    Map<String, String> nowhere = Map.of(ClientOptions.HISTORY_LOCATION.key(), "nofs://a/history");

    assertEquals(FailureKind.AM_LOST, followedAfterItsLimit(nowhere).kind());
    assertEquals(List.of(), yarn.kills());
    assertEquals("it looks no more often", Duration.ofMillis(100), waits.get(0));
  }

  /** An hour in which the second ApplicationMaster does not start, after ten minutes' limit. */
  private JobResult followedAfterItsLimit(Map<String, String> more) throws Exception {
    show(YarnApplicationState.ACCEPTED, 2);
    Waits hour = new Waits(Map.of(HOUR, () -> show(YarnApplicationState.FAILED, 2)));
    Map<String, String> options = new HashMap<>(more);
    options.put("tony.am.startup-timeout", "10m");
    return followed(application(hour), options, Duration.ofMinutes(11));
  }

  /** Whoever follows the job is to see its end at once, however long it has been waiting. */
  @Test
  public void shouldWakeWhoeverWaitsWhenItEndsTheApplication() throws Exception {
    show(YarnApplicationState.ACCEPTED, 1);
    RunningApplication application = application(new CountDownLatch(1));
    FutureTask<Void> waiting =
        new FutureTask<>(
            () -> {
              application.pause(Duration.ofMinutes(5));
              return null;
            });
    Thread thread = new Thread(waiting);
    thread.setDaemon(true);
    thread.start();

    ByteArrayOutputStream told = new ByteArrayOutputStream();
    application.kill("ada", new JobLog(told));

    waiting.get(); // or the limit of this test passes
    assertEquals(List.of("killed by ada"), yarn.kills());
    assertEquals(
        List.of("asked YARN to end the application", "containers left: 0, as YARN has it"),
        told.toString(StandardCharsets.UTF_8).lines().toList());
  }

  /** A log that tells of success, at the place of the application's. */
  private void forgeLog() throws IOException {
    writeLog(new JobFact.Finished(JobResult.succeeded("all is well")).toEvent(Instant.EPOCH, 0));
  }

  private void writeLog(JobEvent... events) throws IOException {
    Path folder = temporary.newFolder("history", ReportedYarn.APPLICATION.toString()).toPath();
    List<String> lines = Stream.of(events).map(EventJson::write).toList();
    Files.write(folder.resolve("events.jsonl"), lines);
  }

  @Test
  public void shouldBelieveYarnAndNotTheLogOfAStranger() throws Exception {
    forgeLog();
    SharedFolder.give(conf, ReportedYarn.APPLICATION.toString(), "mallory");
    show(YarnApplicationState.FAILED, 2);

    JobResult result = followed(application(new CountDownLatch(1)), Map.of());

    assertEquals(JobResult.Status.FAILED, result.status());
    assertEquals(FailureKind.AM_LOST, result.kind());
  }

  /** A file system whose classes do not fit together, for one. */
  public static final class BrokenFileSystem extends RawLocalFileSystem {
    @Override
    public FSDataInputStream open(org.apache.hadoop.fs.Path file, int buffer) {
      throw new NoClassDefFoundError("org/apache/hadoop/hdfs/DFSInputStream");
    }
  }

  @Test
  public void shouldBelieveYarnWhereTheLogCannotBeRead() throws Exception {
    forgeLog();
    conf.setClass("fs.file.impl", BrokenFileSystem.class, FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    show(YarnApplicationState.FAILED, 2);

    JobResult result = followed(application(new CountDownLatch(1)), Map.of());

    assertEquals(FailureKind.AM_LOST, result.kind());
  }

  @Test
  public void shouldBelieveTheJobsOwnLogOfItsEnd() throws Exception {
    forgeLog();
    show(YarnApplicationState.FAILED, 2);

    JobResult result = followed(application(new CountDownLatch(1)), Map.of());

    assertEquals(JobResult.succeeded("all is well"), result);
  }

  // ---- What only the log tells, and the last lines ----

  private ApplicationFollower following(JobLog out, StatusFile status, boolean programs)
      throws Exception {
    TonyConfig config =
        TonyConfig.builder()
            .layer(
                "test",
                Map.of(
                    ClientOptions.HISTORY_LOCATION.key(), temporary.getRoot().toURI() + "history"))
            .build();
    return new ApplicationFollower(
        conf,
        config,
        application(new CountDownLatch(1)),
        out,
        status,
        new Narrator(out, programs, false));
  }

  /** The first that is lost has told its client nothing. */
  @Test
  public void shouldTellTheStatusFileWhatOnlyTheLogTells() throws Exception {
    writeLog(
        SampleEvents.event(1, JobEvent.Type.AM_STARTED, ""),
        SampleEvents.event(2, JobEvent.Type.GANG_RUNNING, ""),
        SampleEvents.event(3, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", "1/4"),
        SampleEvents.event(4, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", "2/4"));
    show(YarnApplicationState.FAILED, 2);
    Path file = temporary.getRoot().toPath().resolve("status");

    following(new JobLog(new ByteArrayOutputStream()), new StatusFile(file), false)
        .followToEnd(StartLimit.NONE);

    Properties values = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      values.load(reader);
    }
    assertEquals(Map.of("state", "RUNNING", "progress", "0.5"), values);
  }

  /** YARN has the status that the ApplicationMaster told it, and not why. */
  @Test
  public void shouldBlameTheProgramsOnlyWhereAnApplicationMasterHasBegun() throws Exception {
    yarn.showFinished(FinalApplicationStatus.FAILED);
    assertEquals(FailureKind.AM_LOST, resultByYarn().kind());

    writeLog(SampleEvents.event(1, JobEvent.Type.AM_STARTED, ""));

    assertEquals(FailureKind.PROGRAM, resultByYarn().kind());
  }

  private JobResult resultByYarn() throws Exception {
    return following(new JobLog(new ByteArrayOutputStream()), new StatusFile(null), false)
        .followToEnd(StartLimit.NONE);
  }

  @Test
  public void shouldBlameNoProgramForWhatAStrangersLogTellsAndWarnOfIt() throws Exception {
    forgeLog();
    SharedFolder.give(conf, ReportedYarn.APPLICATION.toString(), "mallory");
    yarn.showFinished(FinalApplicationStatus.FAILED);
    ByteArrayOutputStream told = new ByteArrayOutputStream();

    JobResult result =
        following(new JobLog(told), new StatusFile(null), false).followToEnd(StartLimit.NONE);

    assertEquals(FailureKind.AM_LOST, result.kind());
    String line = told.toString(StandardCharsets.UTF_8);
    assertTrue(line, line.startsWith("warning: ") && line.contains("belongs to mallory"));
  }

  /** Then the programs may have run. */
  @Test
  public void shouldBlameTheProgramsWhereTheLogCannotBeRead() throws Exception {
    forgeLog();
    conf.setClass("fs.file.impl", BrokenFileSystem.class, FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    yarn.showFinished(FinalApplicationStatus.FAILED);

    assertEquals(FailureKind.PROGRAM, resultByYarn().kind());
  }

  @Test
  public void shouldGiveUpAJobWhoseLogIsAStrangers() throws Exception {
    forgeLog();
    SharedFolder.give(conf, ReportedYarn.APPLICATION.toString(), "mallory");

    assertEquals(FailureKind.TIMEOUT, followedAfterItsLimit(Map.of()).kind());
  }

  @Test
  public void shouldRemoveWhatIsStagedOfAnApplicationThatYarnHasEnded() throws Exception {
    show(YarnApplicationState.FAILED, 1);
    Path staged = temporary.newFolder("staging", ReportedYarn.APPLICATION.toString()).toPath();

    resultByYarn();

    assertFalse(Files.exists(staged));
  }

  /** By it another client knows that nobody has to end the application. */
  @Test
  public void shouldLeaveASignWhileItWaitsForAnApplicationMaster() throws Exception {
    temporary.newFolder("staging", ReportedYarn.APPLICATION.toString());
    show(YarnApplicationState.ACCEPTED, 1);
    List<Boolean> signs = new ArrayList<>();
    AtomicReference<RunningApplication> followed = new AtomicReference<>();
    Waits hour =
        new Waits(
            Map.of(
                HOUR,
                () -> {
                  try {
                    signs.add(followed.get().clientLastSeen().isPresent());
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                  show(YarnApplicationState.FAILED, 1);
                }));
    followed.set(application(hour));

    followed(followed.get(), Map.of());

    assertEquals(List.of(true), signs);
  }

  /** What a person and a program read when this job has ended so; all of it has reached them. */
  private List<String> lastLines(JobResult result, JobEvent... log) throws Exception {
    writeLog(log);
    show(YarnApplicationState.FAILED, 2);
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    JobLog out = new JobLog(new BufferedOutputStream(told));
    ApplicationFollower following = following(out, new StatusFile(null), true);
    following.followToEnd(StartLimit.NONE);
    out.flushEvents();
    int before = told.toString(StandardCharsets.UTF_8).lines().toList().size();
    following.printResult(result);
    List<String> lines = told.toString(StandardCharsets.UTF_8).lines().toList();
    return lines.subList(before, lines.size());
  }

  private static final JobEvent BEGUN = SampleEvents.event(1, JobEvent.Type.AM_STARTED, "");

  @Test
  public void shouldEndWithHowTheJobSucceeded() throws Exception {
    JobResult result = JobResult.succeeded("2 of 2 succeeded");

    assertEquals(
        "programs know it",
        List.of("SUCCEEDED after 9 s: 2 of 2 succeeded"),
        lastLines(
            result,
            BEGUN,
            new JobFact.Finished(result).toEvent(SampleEvents.START.plusSeconds(10), 0)));
  }

  @Test
  public void shouldTellProgramsOfAnEndThatOnlyYarnKnows() throws Exception {
    JobResult result = JobResult.failed(FailureKind.AM_LOST, "the ApplicationMaster was lost");

    List<String> lines = lastLines(result, BEGUN);

    assertEquals(JobEvent.Type.JOB_FINISHED, EventReplay.of(lines).get(0).type());
    assertEquals(1, EventReplay.of(lines).size());
    String last = lines.get(lines.size() - 1);
    assertTrue(last, last.startsWith("FAILED after "));
    assertTrue(last, last.endsWith(" (AM_LOST): the ApplicationMaster was lost"));
  }

  @Test
  public void shouldEndWithTheStderrAndTheLogOfTheTaskThatFailed() throws Exception {
    JobResult result = failedOf("worker:1");

    assertEquals(
        List.of(
            "The last lines of the stderr of worker:1:",
            "    Traceback",
            "    KeyError: 'x'",
            "FAILED after 9 s (PROGRAM): worker:1 exited with code 1, log http://node-1/log"),
        lastLines(
            result,
            BEGUN,
            taskFailed("Traceback\nKeyError: 'x'"),
            new JobFact.Finished(result).toEvent(SampleEvents.START.plusSeconds(10), 0)));
  }

  @Test
  public void shouldTellOfNoStderrWhereThereIsNone() throws Exception {
    conf.setBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, true);
    JobResult result = failedOf("worker:1");

    assertEquals(
        List.of(
            "FAILED after 9 s (PROGRAM): worker:1 exited with code 1, log tony logs"
                + " application_1_0001 worker:1"),
        lastLines(
            result,
            BEGUN,
            taskFailed(""),
            new JobFact.Finished(result).toEvent(SampleEvents.START.plusSeconds(10), 0)));
  }

  private static JobResult failedOf(String task) {
    return new JobResult(
        JobResult.Status.FAILED,
        FailureKind.PROGRAM,
        task + " exited with code 1",
        TaskId.parse(task),
        1);
  }

  private static JobEvent taskFailed(String stderr) {
    return SampleEvents.event(
        5,
        JobEvent.Type.TASK_FAILED,
        "worker:1",
        "kind",
        "PROGRAM",
        "message",
        "worker:1 exited with code 1",
        "stderr",
        stderr,
        "log",
        "http://node-1/log");
  }
}
