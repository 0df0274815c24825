package io.tony.client.follow;

import static io.tony.client.follow.SampleEvents.event;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.machine.Event;
import io.tony.am.rpc.AmServer;
import io.tony.am.rpc.RpcPort;
import io.tony.am.rpc.StartMessages;
import io.tony.am.rpc.TokenUpdates;
import io.tony.am.usage.Metrics;
import io.tony.client.application.RunningApplication;
import io.tony.client.narrate.Narrator;
import io.tony.client.output.JobLog;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.container.Staging;
import io.tony.eventlog.EventLog;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.protocol.JobKey;
import io.tony.runtime.StandaloneRuntime;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * A client and the ApplicationMasters that it meets one after the other: real ones over Hadoop's
 * RPC, with a ResourceManager that shows what the test says.
 */
public class SeveralMastersTest {
  private static final String LOST = "the ApplicationMaster on host 127.0.0.1 is lost";

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Configuration conf = new Configuration();
  private final JobSpec spec = job().workers(1).spec();
  private final JobKey key = JobKey.random(ReportedYarn.APPLICATION.toString());
  private final ReportedYarn yarn = new ReportedYarn();
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final List<Master> masters = new ArrayList<>();
  private final ToldLines told = new ToldLines();
  private Staging staging;
  private RunningApplication application;

  /** One ApplicationMaster, with what it serves. */
  private record Master(AmServer server, EventLog log) {
    void record(JobEvent event) {
      log.record(List.of(event));
    }

    void finish() {
      log.close();
      server.finish();
    }

    /** As SIGKILL does it: what was told is in the file, and nothing is said. */
    void die() {
      server.close();
      log.close();
    }

    int port() {
      return server.address().getPort();
    }
  }

  /** What the client prints, line by line. */
  private static final class ToldLines {
    private final StringBuilder open = new StringBuilder();
    private final List<String> lines = new ArrayList<>();

    JobLog stream() {
      OutputStream bytes =
          new OutputStream() {
            @Override
            public void write(int b) {
              add((char) b);
            }
          };
      return new JobLog(bytes);
    }

    private synchronized void add(char character) {
      if (character == '\n') {
        lines.add(open.toString());
        open.setLength(0);
        notifyAll();
      } else {
        open.append(character);
      }
    }

    synchronized void await(String text) throws InterruptedException {
      while (lines.stream().noneMatch(line -> line.contains(text))) {
        wait();
      }
    }

    synchronized List<String> lines() {
      return List.copyOf(lines);
    }
  }

  @Before
  public void stage() throws IOException {
    staging =
        new Staging(
            FileSystem.get(conf),
            temporary.getRoot().toURI() + "staging",
            ReportedYarn.APPLICATION.toString());
    staging.create();
    Credentials credentials = new Credentials();
    key.putInto(credentials);
    staging.writeCredentials(credentials);
    application =
        new RunningApplication(
            conf, yarn, ReportedYarn.APPLICATION, staging, Duration.ofSeconds(20));
  }

  @After
  public void close() {
    masters.forEach(Master::die);
  }

  private Path history() {
    return new Path(temporary.getRoot().toURI() + "history");
  }

  private Master master(int attempt) throws IOException {
    Path folder = EventLog.folder(history(), ReportedYarn.APPLICATION.toString());
    // Hadoop's local file system flushes only without its checksums.
    EventLog log =
        EventLog.create(
            FileSystem.getLocal(conf).getRawFileSystem(),
            folder,
            attempt,
            InstantSource.system(),
            () -> {});
    AmServer server =
        new AmServer(
            new RpcPort(conf, "127.0.0.1", PortRange.ANY, RpcPort.HANDLERS, key).bind(),
            new AmServer.ServerConfig(
                spec.limits(),
                new StartMessages(
                    spec,
                    new StandaloneRuntime(),
                    gang -> gang,
                    "application_1_0001",
                    "/c",
                    false,
                    0,
                    StartCheckpoints.NONE),
                new TokenUpdates(UserGroupInformation.createRemoteUser("master")),
                true),
            log,
            events::add,
            new Metrics(spec, InstantSource.system()),
            InstantSource.system(),
            InstantSource.system());
    Master master = new Master(server, log);
    masters.add(master);
    return master;
  }

  private void running(Master master, int attempt) {
    yarn.show(YarnApplicationState.RUNNING, attempt, "127.0.0.1", master.port());
  }

  private static <T> FutureTask<T> inBackground(Callable<T> what) {
    FutureTask<T> task = new FutureTask<>(what);
    Thread thread = new Thread(task, "client");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private FutureTask<JobResult> follow() {
    return follow(false);
  }

  private FutureTask<JobResult> follow(boolean programs) {
    TonyConfig config =
        TonyConfig.builder()
            .layer("test", Map.of(ClientOptions.HISTORY_LOCATION.key(), history().toString()))
            .build();
    JobLog out = told.stream();
    ApplicationFollower following =
        new ApplicationFollower(
            conf,
            config,
            application,
            out,
            new StatusFile(null),
            new Narrator(out, programs, true));
    return inBackground(() -> following.followToEnd(StartLimit.NONE));
  }

  private static JobEvent started(int attempt, int running) {
    String[] details = {
      "attempt", "" + attempt, "host", "h" + attempt, "tasks", "1", "running", "" + running
    };
    return event(2, JobEvent.Type.AM_STARTED, "", details);
  }

  private static JobEvent progress(int second) {
    return event(second, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", "line " + second);
  }

  private static JobEvent finished() {
    return event(
        99, JobEvent.Type.JOB_FINISHED, "", "status", "SUCCEEDED", "message", "1 of 1 succeeded");
  }

  /** The next may be long in coming, and the page is not to wait for it. */
  @Test
  public void shouldTellProgramsAllBeforeALossAndAllBeforeTheEnd() throws Exception {
    Master first = master(1);
    running(first, 1);
    FutureTask<JobResult> result = follow(true);
    List<JobEvent> happened = List.of(started(1, 0), progress(3), progress(9), finished());
    first.record(happened.get(0));
    first.record(happened.get(1));
    first.record(happened.get(2));
    told.await("worker:0: line 9");
    first.die();
    yarn.show(YarnApplicationState.ACCEPTED, 2, "N/A", -1);
    told.await(LOST);

    List<String> lines = told.lines();
    int loss = lines.indexOf(lines.stream().filter(line -> line.startsWith(LOST)).findAny().get());
    assertEquals(happened.subList(0, 3), EventReplay.of(lines.subList(0, loss)));
    Master second = master(2);
    second.record(happened.get(3));
    running(second, 2);
    second.finish();
    result.get();
    assertEquals(happened, EventReplay.of(told.lines()));
  }

  @Test
  public void shouldFollowFromOneApplicationMasterToTheNextWithoutGapOrRepetition()
      throws Exception {
    Master first = master(1);
    running(first, 1);
    FutureTask<JobResult> result = follow();
    first.record(started(1, 0));
    first.record(event(3, JobEvent.Type.TASK_STARTED, "worker:0", "pid", "1"));
    first.record(progress(4));
    told.await("line 4");
    first.die();
    yarn.awaitLooks(3); // for a while YARN shows where it was
    yarn.show(YarnApplicationState.ACCEPTED, 2, "N/A", -1);
    told.await(LOST);

    Master second = master(2);
    second.record(started(2, 1));
    second.record(progress(5));
    running(second, 2);
    told.await("line 5");
    second.record(finished());
    second.finish();

    assertEquals(JobResult.succeeded("1 of 1 succeeded"), result.get());
    assertEquals(
        List.of(
            "ApplicationMaster is up on h1, attempt 1",
            "worker:0 started, process 1",
            "1/1 tasks running",
            "worker:0: line 4",
            LOST + "; YARN starts another, the tasks train on",
            "ApplicationMaster attempt 2 on h2 took over 1 running task",
            "worker:0: line 5"),
        told.lines());
  }

  @Test
  public void shouldTellOfALossThatHappenedBeforeItCouldAsk() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    FutureTask<JobResult> result = follow();
    yarn.awaitLooks(2);
    Master second = master(2);
    second.record(started(2, 0));
    second.record(finished());
    second.finish();
    running(second, 2);

    assertEquals(JobResult.succeeded("1 of 1 succeeded"), result.get());
    assertEquals(
        List.of(
            "the ApplicationMaster is lost; YARN starts another",
            "ApplicationMaster is up on h2, attempt 2"),
        told.lines());
  }

  @Test
  public void shouldEndOnlyWhenYarnSaysSoAndTellHowManyWereTried() throws Exception {
    Master first = master(1);
    running(first, 1);
    FutureTask<JobResult> result = follow();
    first.record(started(1, 0));
    told.await("is up");
    first.record(progress(4));
    first.die();
    yarn.awaitLooks(3);
    yarn.show(YarnApplicationState.ACCEPTED, 2, "N/A", -1);
    yarn.awaitLooks(3);
    assertFalse(result.isDone());
    yarn.show(YarnApplicationState.FAILED, 2, "N/A", -1);

    assertEquals(
        JobResult.failed(
            FailureKind.AM_LOST,
            "the ApplicationMaster was lost; 2 were tried (tony.am.max-attempts)."
                + " YARN says: AM Container exited with 137"),
        result.get());
    assertEquals(
        "what the first one wrote is told all the same",
        1,
        told.lines().stream().filter(line -> line.equals("worker:0: line 4")).count());
    assertEquals(1, told.lines().stream().filter(line -> line.startsWith(LOST)).count());
  }

  /** The connection breaks, and the ApplicationMaster is as it was. */
  @Test
  public void shouldSayNothingOfALostConnection() throws Exception {
    Master first = master(1);
    running(first, 1);
    FutureTask<JobResult> result = follow();
    first.record(progress(4));
    told.await("line 4");
    first.die();
    yarn.awaitLooks(3);
    Master same = master(2); // on another port: the same attempt, as far as YARN says
    same.record(finished());
    same.finish();
    running(same, 1);

    assertEquals(JobResult.Status.SUCCEEDED, result.get().status());
    assertEquals(List.of("worker:0: line 4"), told.lines());
  }

  @Test
  public void shouldTakeYarnsWordWhereItDoesNotUnderstandTheEndOfTheJob() throws Exception {
    Master master = master(1);
    running(master, 1);
    FutureTask<JobResult> result = follow();
    master.record(event(99, JobEvent.Type.JOB_FINISHED, "", "status", "OF_A_LATER_VERSION"));
    master.finish();
    yarn.awaitLooks(3); // it waits for YARN to know
    assertFalse(result.isDone());
    yarn.showFinished(FinalApplicationStatus.SUCCEEDED);

    assertEquals(JobResult.Status.SUCCEEDED, result.get().status());
  }

  // ---- Cancel between two ApplicationMasters ----

  @Test
  public void shouldStopTheJobInOrderThroughTheNextApplicationMaster() throws Exception {
    Master first = master(1);
    running(first, 1);
    first.die();
    yarn.masterStarts();
    FutureTask<Void> kill = kill();
    yarn.awaitLooks(2); // shown where nobody listens any more
    yarn.show(YarnApplicationState.ACCEPTED, 2, "N/A", -1);
    yarn.awaitLooks(2);
    Master second = master(2);
    running(second, 2);

    assertEquals("ada", ((Event.StopRequested) events.take()).requester());
    assertEquals("the tasks are ending", List.of(), yarn.kills());
    second.finish();
    assertTrue(second.server().awaitRelease(Duration.ofSeconds(30)));
    second.die();

    kill.get();
    assertEquals(List.of("killed by ada"), yarn.kills());
    List<String> lines = told.lines();
    assertTrue(lines + "", lines.contains("waits for its ApplicationMaster to start, up to 10 s"));
    assertEquals(
        List.of(
            "asked the programs to end, up to 20 s",
            "the programs have ended",
            "asked YARN to end the application",
            "containers left: 0, as YARN has it"),
        lines.subList(lines.size() - 4, lines.size()));
  }

  /** Whoever ends another one's job need not know its options. */
  @Test
  public void shouldGiveTheTasksTheGraceOfTheirJobWhereThatIsLonger() throws Exception {
    assertEquals("asked the programs to end, up to 1m 0s", toldOfAStop("60000"));
  }

  @Test
  public void shouldGiveTheTasksTheGraceOfTheClientWhereThatIsLonger() throws Exception {
    assertEquals("asked the programs to end, up to 20 s", toldOfAStop("3000"));
  }

  @Test
  public void shouldEndInOrderWhereTheGraceOfTheJobCannotBeRead() throws Exception {
    assertEquals("asked the programs to end, up to 20 s", toldOfAStop("a while"));
  }

  /** What is told when the application was submitted with this grace, and a client ends it. */
  private String toldOfAStop(String grace) throws Exception {
    TonyConfig submitted =
        TonyConfig.builder().layer("test", Map.of(TaskOptions.STOP_GRACE.key(), grace)).build();
    staging.writeConfig(submitted);
    Master master = master(1);
    running(master, 1);
    FutureTask<Void> kill = kill();
    assertEquals("ada", ((Event.StopRequested) events.take()).requester());
    master.finish();
    assertTrue(master.server().awaitRelease(Duration.ofSeconds(30)));
    master.die();
    kill.get();
    return told.lines().get(0);
  }

  @Test
  public void shouldHaveYarnKillAJobWhoseNextApplicationMasterHasNoContainerYet() throws Exception {
    yarn.show(YarnApplicationState.ACCEPTED, 2, "N/A", -1);

    kill().get();

    assertEquals(List.of("killed by ada"), yarn.kills());
  }

  @Test
  public void shouldStopTheJobInOrderWhenItsApplicationMasterRegistersJustThen() throws Exception {
    Master master = master(1);
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.masterRegistersUnseen("127.0.0.1", master.port());

    FutureTask<Void> kill = kill();

    assertEquals("ada", ((Event.StopRequested) events.take()).requester());
    assertEquals("the tasks are ending", List.of(), yarn.kills());
    master.finish();
    assertTrue(master.server().awaitRelease(Duration.ofSeconds(30)));
    master.die();
    kill.get();
  }

  /**
   * YARN may launch it between the last look and the kill, and only its node knows when it ends.
   */
  @Test
  public void shouldGiveItsNodeTimeToEndAnApplicationMasterThatIsNotAsked() throws Exception {
    conf.setLong(YarnConfiguration.NM_SLEEP_DELAY_BEFORE_SIGKILL_MS, 300);
    yarn.show(YarnApplicationState.ACCEPTED, 1, "N/A", -1);
    yarn.masterHas(
        ContainerId.newContainerId(
            ApplicationAttemptId.newInstance(ReportedYarn.APPLICATION, 1), 1));
    long begin = System.nanoTime();

    kill().get();

    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    assertTrue(took.toString(), took.compareTo(Duration.ofMillis(1_300)) >= 0);
  }

  @Test
  public void shouldKillNothingThatHasEnded() throws Exception {
    Master first = master(1);
    running(first, 1);
    first.die();
    FutureTask<Void> kill = kill();
    yarn.awaitLooks(2);
    yarn.show(YarnApplicationState.FAILED, 1, "N/A", -1);

    kill.get();

    assertEquals(List.of(), yarn.kills());
  }

  private FutureTask<Void> kill() {
    return inBackground(
        () -> {
          application.kill("ada", told.stream());
          return null;
        });
  }
}
