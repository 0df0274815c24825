package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import azkaban.utils.Props;
import io.tony.client.TonyCli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/**
 * Cancelling at every moment of an attempt, with real client JVMs, obedient and not: in an Azkaban
 * that waits for the job's run, and in one that waits for its cancel only.
 */
@RunWith(Parameterized.class)
public final class TonyJobCancelTest {

  private static final String ID = "application_1_0001";
  private static final long SHORT_MILLIS = 200;
  private static final String TMPDIR = "java.io.tmpdir";

  @Parameterized.Parameter public boolean returnsEarly;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();

  private final JobLog log = new JobLog();
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final String tmpdir = System.getProperty(TMPDIR);
  private InstalledPlugin plugin;
  private Path workingDirectory;
  private final Map<String, String> system = new HashMap<>();
  private String follow = "";
  private long[] pauses = {};

  @Parameterized.Parameters(name = "cancel returns early: {0}")
  public static Object[] ways() {
    return new Object[] {true, false};
  }

  @Before
  public void install() throws Exception {
    plugin = InstalledPlugin.install(folder.getRoot().toPath());
    workingDirectory = ExecutionFolder.in(folder.getRoot().toPath()).path();
    System.setProperty(TMPDIR, folder.newFolder("temporary").toString()); // for notes of attempts
  }

  @After
  public void noClientIsLeftBehind() throws Exception {
    System.setProperty(TMPDIR, tmpdir);
    executor.shutdownNow();
    assertEquals(0, ProcessHandle.current().children().filter(ProcessHandle::isAlive).count());
    try (Stream<Path> files = Files.list(workingDirectory)) {
      assertTrue(files.noneMatch(file -> file.getFileName().toString().startsWith(".tony")));
    }
  }

  @Test
  public void shouldNeverStartWhenCancelledBefore() throws Exception {
    TonyJob job = job(SHORT_MILLIS, "say started");

    job.cancel();
    Exception end = assertThrows(JobFailedException.class, job::run);

    assertEquals("train: CANCELLED (no application), the lines above say why.", end.getMessage());
    assertTrue(job.isCanceled());
    assertEquals(List.of("ERROR train was cancelled (no application was submitted)."), log.lines());
  }

  @Test
  public void shouldDoNothingAfterTheEnd() throws Exception {
    TonyJob job = job(SHORT_MILLIS, "status application.id=" + ID, "status state=SUCCEEDED");

    job.run();
    job.cancel();

    assertFalse(job.isCanceled());
    assertFalse(killedById());
    assertEquals(1, job.getProgress(), 0);
  }

  @Test
  public void shouldKillTheApplicationOfADeafClientById() throws Exception {
    TonyJob job =
        job(SHORT_MILLIS, "status application.id=" + ID, "on-term never", "say up", "hang");
    Future<Exception> end = run(job);
    log.await("up");

    job.cancel();

    assertCancelled(ID, end);
    assertTrue(killedById());
    assertTrue(log.lines().contains("INFO killed " + ID));
  }

  @Test
  public void shouldKillTheApplicationOfAClientThatCrashesMeanwhileById() throws Exception {
    TonyJob job =
        job(
            TonyJob.TERM_LIMIT_MILLIS,
            "status application.id=" + ID,
            "on-term crash",
            "say up",
            "hang");
    Future<Exception> end = run(job);
    log.await("up");

    job.cancel();

    assertCancelled(ID, end);
    assertTrue(killedById());
  }

  @Test
  public void shouldSayWhyItCannotKnowWhetherTheApplicationIsOver() throws Exception {
    Files.createFile(workingDirectory.resolve("killed-" + ID)); // the kill fails on that
    TonyJob job =
        job(SHORT_MILLIS, "status application.id=" + ID, "on-term never", "say up", "hang");
    Future<Exception> end = run(job);
    log.await("up");

    job.cancel();

    log.await(
        "The kill failed with exit code 1; whether "
            + ID
            + " still runs is unknown: yarn application -status "
            + ID);
    assertCancelled(ID, end);
  }

  @Test
  public void shouldKillNothingWhenNothingWasSubmitted() throws Exception {
    TonyJob job = job(SHORT_MILLIS, "on-term never", "say up", "hang");
    Future<Exception> end = run(job);
    log.await("up");

    job.cancel();

    log.await("nothing was submitted");
    assertCancelled("no application", end);
  }

  @Test
  public void shouldReturnFromEveryCancelOnlyWhenTheApplicationIsOver() throws Exception {
    returnsEarly = false; // where Azkaban waits for the job's run, a cancel is only a word
    TonyJob job =
        job(SHORT_MILLIS, "status application.id=" + ID, "on-term never", "say up", "hang");
    Future<Exception> end = run(job);
    log.await("up");

    CountDownLatch start = new CountDownLatch(1);
    Future<Boolean> one = cancelThenSeeKilled(job, start);
    Future<Boolean> two = cancelThenSeeKilled(job, start);
    start.countDown();

    assertTrue(one.get(30, TimeUnit.SECONDS));
    assertTrue(two.get(30, TimeUnit.SECONDS));
    assertCancelled(ID, end);
    assertEquals(1, log.count("INFO killed " + ID));
  }

  @Test
  public void shouldAskAllStepsOfAFlowBeforeTheFirstHasEnded() throws Exception {
    returnsEarly = true; // elsewhere a step is over when its cancel returns
    String[] steps = {
      "status application.id=" + ID, "status state=KILLED", "on-term when", "say up", "hang"
    };
    TonyJob first = job(TonyJob.TERM_LIMIT_MILLIS, steps);
    TonyJob second = job(TonyJob.TERM_LIMIT_MILLIS, steps);
    Future<Exception> firstEnd = run(first);
    Future<Exception> secondEnd = run(second);
    while (log.count("INFO up") < 2) {
      LockSupport.parkNanos(1_000_000);
    }

    first.cancel();
    second.cancel();
    first.cancel(); // as by an SLA, meanwhile

    while (log.count("INFO asked") < 2) {
      LockSupport.parkNanos(1_000_000);
    }
    assertFalse(firstEnd.isDone());
    assertFalse(secondEnd.isDone());
    Files.createFile(workingDirectory.resolve("may-end"));
    for (Future<Exception> end : List.of(firstEnd, secondEnd)) {
      assertEquals(
          "train: CANCELLED (" + ID + "), the lines above say why.",
          end.get(30, TimeUnit.SECONDS).getMessage());
    }
    assertFalse(killedById());
  }

  @Test
  public void shouldStopTheClientWhenTheJobsThreadIsInterrupted() throws Exception {
    TonyJob job = job(TonyJob.TERM_LIMIT_MILLIS, "on-term ended in order", "say up", "hang");

    interruptAfter("up", job);

    log.await("ended in order");
  }

  @Test
  public void shouldEndCancelledWheneverTheCancelComes() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      String where = "seed " + seed + ", round " + round;
      TonyJob job = job(TonyJob.TERM_LIMIT_MILLIS, "hang");
      // Half of them while the attempt is prepared, half while the client's JVM starts and runs.
      long delayNanos = random.nextInt(round % 2 == 0 ? 10_000_000 : 250_000_000);
      Future<Exception> end = run(job);
      LockSupport.parkNanos(delayNanos);
      job.cancel();
      assertEquals(
          where,
          "train: CANCELLED (no application), the lines above say why.",
          end.get(30, TimeUnit.SECONDS).getMessage());
      noClientIsAlive(where);
    }
  }

  @Test
  public void shouldSayThatTheApplicationOfADeadClientMayRunOn() throws Exception {
    TonyJob job = job(SHORT_MILLIS, "status application.id=" + ID, "crash 137");

    Exception end = assertThrows(JobFailedException.class, job::run);

    assertEquals(
        "train: FAILED (UNKNOWN, exit code 137, " + ID + "), the lines above say why.",
        end.getMessage());
    assertEquals(
        "ERROR train: TonY's client ended without knowing how the job did (UNKNOWN, exit code 137, "
            + ID
            + "). The application may still run, and a retry of this job looks after it: yarn"
            + " application -status "
            + ID
            + " .",
        log.lines().get(log.lines().size() - 1));
  }

  @Test
  public void shouldFollowTheApplicationOfAClientThatDied() throws Exception {
    pauses = new long[] {1, 1};
    follow("crash 134");
    TonyJob job = job(SHORT_MILLIS, "status application.id=" + ID, "crash 137");
    assertThrows(JobFailedException.class, job::run);
    assertEquals(2, log.count("INFO following " + ID));

    follow("status application.id=" + ID, "status state=SUCCEEDED");
    job(SHORT_MILLIS, "status application.id=" + ID, "crash 137").run();

    assertEquals(3, log.count("INFO following " + ID));
    assertFalse(killedById());
  }

  @Test
  public void shouldNotBelieveACodeWithoutTheEndOfTheApplication() throws Exception {
    pauses = new long[] {1};
    follow("status application.id=" + ID, "status state=FAILED", "exit 1");

    for (String code : List.of("0", "1", "3", "6", "143")) {
      TonyJob job =
          job(SHORT_MILLIS, "status application.id=" + ID, "status state=RUNNING", "exit " + code);
      Exception end = assertThrows(code, JobFailedException.class, job::run);
      assertEquals(
          "train: FAILED (PROGRAM, exit code 1, " + ID + "), the lines above say why.",
          end.getMessage());
    }
    assertEquals(
        5, log.count("ERROR train: the program failed (PROGRAM, exit code 1, " + ID + ")."));
    Exception end = // what it says of the end is not what its code says
        assertThrows(
            JobFailedException.class,
            job(SHORT_MILLIS, "status application.id=" + ID, "status state=FAILED", "exit 0")::run);
    assertTrue(end.getMessage(), end.getMessage().contains("PROGRAM, exit code 1"));
  }

  @Test
  public void shouldKillTheApplicationWhenItIsCancelledBeforeTheNextClientFollows()
      throws Exception {
    pauses = new long[] {600_000};
    TonyJob job = job(SHORT_MILLIS, "status application.id=" + ID, "crash 137");
    Future<Exception> end = run(job);
    log.await("another one follows " + ID + " in 600 s.");

    job.cancel();

    assertCancelled(ID, end);
    assertTrue(killedById());
  }

  @Test
  public void shouldKillTheApplicationWhenItIsInterruptedBeforeTheNextClientFollows()
      throws Exception {
    pauses = new long[] {600_000};
    TonyJob job = job(SHORT_MILLIS, "status application.id=" + ID, "crash 137");

    interruptAfter("another one follows " + ID + " in 600 s.", job);

    assertTrue(killedById());
  }

  @Test
  public void shouldBelieveThatYarnRefusedAJobThatItHadTaken() throws Exception {
    TonyJob job = job(SHORT_MILLIS, "status application.id=" + ID, "status state=FAILED", "exit 2");

    Exception end = assertThrows(JobFailedException.class, job::run);

    assertTrue(end.getMessage(), end.getMessage().contains("FAILED (INVALID, exit code 2"));
    log.await("ERROR train: the job is not valid (INVALID, exit code 2, " + ID + ").");
  }

  @Test
  public void shouldGiveAClientTheTimeThatItsJobTakesToStop() throws Exception {
    TonyJob job =
        job(
            1,
            "status application.id=" + ID,
            "status stop.limit.ms=30000",
            "status state=KILLED",
            "on-term stopped in order",
            "say up",
            "hang");
    Future<Exception> end = run(job);
    log.await("up");

    job.cancel();

    log.await("stopped in order");
    assertCancelled(ID, end);
    assertFalse(killedById());
  }

  /** Runs the job until its log has the line, interrupts it, and waits for its end. */
  private void interruptAfter(String line, TonyJob job) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              Exception end = assertThrows(JobFailedException.class, job::run);
              assertEquals("train: INTERRUPTED, the lines above say why.", end.getMessage());
              assertTrue(Thread.interrupted());
              ended.countDown();
            });
    thread.start();
    log.await(line);

    thread.interrupt();

    assertTrue(ended.await(30, TimeUnit.SECONDS));
  }

  private static void noClientIsAlive(String where) {
    assertEquals(
        where, 0, ProcessHandle.current().children().filter(ProcessHandle::isAlive).count());
  }

  private boolean killedById() {
    return Files.exists(workingDirectory.resolve("killed-" + ID));
  }

  private Future<Exception> run(TonyJob job) {
    return executor.submit(() -> assertThrows(JobFailedException.class, job::run));
  }

  private Future<Boolean> cancelThenSeeKilled(TonyJob job, CountDownLatch start) {
    return executor.submit(
        () -> {
          start.await();
          job.cancel();
          return killedById();
        });
  }

  /** Waits for the end of the job's run: what Azkaban gets, and what the log says, once. */
  private void assertCancelled(String application, Future<Exception> end) throws Exception {
    assertEquals(
        "train: CANCELLED (" + application + "), the lines above say why.",
        end.get(30, TimeUnit.SECONDS).getMessage());
    assertEquals(log.lines().toString(), 1, log.count("ERROR train was cancelled ("));
  }

  @Test
  public void shouldKeepTheTokensOfAnApplicationThatMayRunOn() throws Exception {
    system.putAll(
        Map.of(
            "azkaban.should.proxy.user", "true",
            "obtain.binary.token", "true",
            "hadoop.security.manager.class", "io.tony.azkaban.standin.StandInManager"));
    follow("exit 4");
    pauses = new long[] {1};
    TonyJob job =
        job(SHORT_MILLIS, "status application.id=" + ID, "status state=RUNNING", "exit 4");

    assertThrows(JobFailedException.class, job::run);

    log.await("takes tokens for alice");
    assertFalse(log.lines().toString(), log.lines().toString().contains("canceled"));
  }

  private TonyJob job(long termLimitMillis, String... steps) {
    system.put("plugin.dir", plugin.folder().toString());
    Props properties = Props.of(TonyCli.STEPS, String.join("\n", steps), TonyCli.FOLLOW, follow);
    new ExecutionFolder(workingDirectory)
        .properties(workingDirectory)
        .forEach((key, value) -> properties.put(key, value));
    properties.put("user.to.proxy", "alice");
    Props all = new Props();
    system.forEach(all::put);
    return new TonyJob(
        "train", all, properties, log.logger(), termLimitMillis, pauses, returnsEarly);
  }

  /** What each client does that follows. */
  private void follow(String... steps) {
    follow = String.join("\n", steps);
  }
}
