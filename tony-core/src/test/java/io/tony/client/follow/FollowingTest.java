package io.tony.client.follow;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.container.Staging;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.SharedFolder;
import io.tony.fact.JobFact;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** How often a client looks at an application that has no ApplicationMaster to be asked. */
public class FollowingTest {
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
    return new Following(
            conf, config, application, out, new StatusFile(null), new Narrator(out, false, true))
        .toTheEnd(StartLimit.of(config, age));
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
    assertTrue(result.message(), result.message().contains("has told nothing within"));
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
    writeLog(new JobFact.Finished(JobResult.succeeded("all is well")).at(Instant.EPOCH, 0));
  }

  private void writeLog(JobEvent event) throws IOException {
    Path folder = temporary.newFolder("history", ReportedYarn.APPLICATION.toString()).toPath();
    Files.writeString(folder.resolve("events.jsonl"), EventJson.write(event) + "\n");
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
}
