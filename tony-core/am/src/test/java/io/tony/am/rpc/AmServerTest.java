package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.await;
import static io.tony.am.rpc.ServedJob.awaitStop;
import static io.tony.am.rpc.ServedJob.inBackground;
import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.NoFreePortException;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Event;
import io.tony.event.CheckpointFact;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.WholeLog;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.DelegatedTokens;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.CheckpointOutcome;
import io.tony.protocol.proto.TonyProtos.ContainerHold;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import io.tony.protocol.proto.TonyProtos.Tokens;
import io.tony.protocol.proto.TonyProtos.WatchRequest;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.apache.hadoop.util.concurrent.AsyncGet;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** The protocols as executors and clients speak them, over Hadoop's RPC on the loopback. */
public class AmServerTest {
  /** Many more than the server has handlers. */
  private static final int MANY = 200;

  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 1, "container_7");
  private static final ClusterSpec CLUSTER =
      new ClusterSpec(Map.of("worker", List.of(new Endpoint("host", 7000))));
  private static final JobSpec JOB = job().workers(1).env("GREETING", "$HOME `id` \"ü\"\n").spec();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ServedJob.SetClock clock = new ServedJob.SetClock();
  private ServedJob served;

  @Before
  public void serve() throws IOException {
    served = new ServedJob(JOB, clock, folder.getRoot());
    served.server.expect(WORKER);
  }

  @After
  public void close() {
    served.close();
  }

  // ---- Where it listens ----

  @Test
  public void shouldTakeAPortOfTheRange() throws Exception {
    int taken = served.server.address().getPort();
    PortRange ports = new PortRange(taken - 20, taken + 20);
    try (ServedJob other = serve(ports)) {
      int port = other.server.address().getPort();
      assertTrue(port + " of " + ports, ports.portsAfter(0).contains(port) && port != taken);
      other.executor().heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
    }

    NoFreePortException none =
        assertThrows(NoFreePortException.class, () -> serve(new PortRange(taken, taken)).close());

    assertTrue(
        none.getMessage(),
        none.getMessage()
            .startsWith(
                "no port of tony.am.port-range="
                    + taken
                    + "-"
                    + taken
                    + " is free on 127.0.0.1 for the ApplicationMaster's RPC server"));
  }

  private ServedJob serve(PortRange ports) throws IOException {
    return new ServedJob(JOB, clock, folder.newFolder(), 1, new Configuration(), ports);
  }

  // ---- What executors report ----

  @Test
  public void shouldTakeASampleWithAHeartbeat() throws Exception {
    Sample.Builder sample =
        Sample.newBuilder()
            .setMemoryMib(812)
            .setPeakMib(900)
            .setExecutorMib(100)
            .setCores(0.97)
            .setSpanMs(5000);
    TaskProtocol executor = served.executor();

    executor.heartbeat(
        null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setSample(sample).build());
    assertEquals(Map.of("worker:0", "812 0.97"), served.metrics.details(Duration.ZERO));

    sample.setGpuPercent(43).setGpuMemoryMib(2048);
    executor.heartbeat(
        null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setSample(sample).build());
    assertEquals(Map.of("worker:0", "812 0.97 43 2048"), served.metrics.details(Duration.ZERO));
    assertTrue(served.noEvent());
  }

  @Test
  public void shouldTurnReportsIntoEvents() throws Exception {
    TaskProtocol executor = served.executor();
    Instant now = clock.instant();

    executor.register(
        null,
        RegisterRequest.newBuilder()
            .setTask(wire(WORKER))
            .setHost("node-1")
            .setPort(7001)
            .setTensorboardPort(6006)
            .build());
    executor.started(null, StartedRequest.newBuilder().setTask(wire(WORKER)).setPid(4711).build());
    executor.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
    executor.heartbeat(
        null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setProgress("3/10").build());
    executor.heartbeat(
        null,
        HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setTensorboardListens(true).build());
    executor.exited(
        null,
        ExitedRequest.newBuilder()
            .setTask(wire(WORKER))
            .setExitCode(143)
            .setStderrTail("größer\nals")
            .addOutputs(Entry.newBuilder().setKey("auc").setValue("0.9"))
            .setExecutorMessage("ran longer than 5 ms")
            .setTimedOut(true)
            .build());
    executor.heartbeat(
        null,
        HeartbeatRequest.newBuilder()
            .setTask(wire(WORKER))
            .setHangLocation("x".repeat(999))
            .build());
    executor.heartbeat(
        null,
        HeartbeatRequest.newBuilder()
            .setTask(wire(WORKER))
            .addCheckpoints(
                CheckpointOutcome.newBuilder()
                    .setSet("")
                    .setPath("model.pt")
                    .setProblem("it is empty"))
            .build());

    assertEquals(
        new Event.TaskRegistered(now, WORKER, new Endpoint("node-1", 7001), 6006), served.event());
    assertEquals(new Event.TaskStarted(now, WORKER, 4711), served.event());
    assertEquals(new Event.TaskProgressed(now, WORKER, "3/10"), served.event());
    assertEquals(new Event.TensorBoardListens(now, WORKER), served.event());
    assertEquals(
        new Event.TaskExited(
            now,
            WORKER,
            new Event.Exit(
                143, "größer\nals", Map.of("auc", "0.9"), "ran longer than 5 ms", true, false)),
        served.event());
    assertEquals(
        new Event.HangReported(now, WORKER, "x".repeat(ReportLimits.MAX_HANG_LOCATION_CHARS)),
        served.event());
    assertEquals(
        new Event.CheckpointReported(
            now, new CheckpointFact.CheckpointNotSaved(WORKER.task(), "model.pt", "it is empty")),
        served.event());
    assertTrue(served.noEvent());
  }

  /** Its answer may be lost, so that it is said again. */
  @Test
  public void shouldTellOfEachAttemptOnceThatItsContainerIsKept() throws Exception {
    TaskProtocol executor = served.executor();
    RegisterRequest register =
        RegisterRequest.newBuilder().setTask(wire(WORKER)).setHost("h").setPort(1).build();
    executor.register(null, register);
    served.event();
    ContainerHold held =
        ContainerHold.newBuilder()
            .setExitCode(3)
            .setForMs(1_800_000)
            .setStderrTail("no such file")
            .setExecutorMessage("")
            .build();
    HeartbeatRequest beat =
        HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setHold(held).build();

    executor.heartbeat(null, beat);
    executor.heartbeat(null, beat);

    assertEquals(
        new Event.TaskHeld(clock.instant(), WORKER, 3, Duration.ofMinutes(30), "no such file", ""),
        served.event());
    assertTrue(served.noEvent());
  }

  @Test
  public void shouldHearFromAnExecutorOfAnEarlierMasterWhatRuns() throws Exception {
    served
        .executor()
        .register(
            null,
            RegisterRequest.newBuilder()
                .setTask(wire(WORKER))
                .setHost("node-1")
                .setPort(7001)
                .setTensorboardPort(6006)
                .setPid(4711)
                .setTensorboardListens(true)
                .build());

    assertEquals(Event.TaskRegistered.class, served.event().getClass());
    assertEquals(new Event.TaskStarted(clock.instant(), WORKER, 4711), served.event());
    assertEquals(new Event.TensorBoardListens(clock.instant(), WORKER), served.event());
    assertTrue(served.noEvent());
  }

  @Test
  public void shouldReportASilentExecutorOnce() throws Exception {
    JobSpec impatient = job().workers(1).heartbeats(Duration.ofMillis(20), 5).spec();
    try (ServedJob job = new ServedJob(impatient, clock, folder.newFolder())) {
      RegisterRequest register =
          RegisterRequest.newBuilder().setTask(wire(WORKER)).setHost("h").setPort(1).build();
      job.executor().register(null, register);
      assertEquals(Event.TaskRegistered.class, job.event().getClass());
      clock.go(); // the limit is too short for a registration

      assertEquals(WORKER, ((Event.HeartbeatTimedOut) job.event()).key());

      // Whoever registers after it is missed after it: nothing lies between.
      clock.stop();
      TaskKey later = new TaskKey(new TaskId("worker", 1), 1, "container_8");
      job.executor().register(null, register.toBuilder().setTask(wire(later)).build());
      assertEquals(Event.TaskRegistered.class, job.event().getClass());
      clock.go();
      assertEquals(later, ((Event.HeartbeatTimedOut) job.event()).key());
      assertTrue(job.noEvent());
    }
  }

  // ---- What executors are told ----

  @Test
  public void shouldAnswerAWaitingExecutorTheMomentItsTaskStarts() throws Exception {
    TaskProtocol executor = served.executor();
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, await(WORKER)));

    served.server.start(new StartTask(WORKER, 1, CLUSTER, 6006, ""));

    AwaitResponse command = answer.get();
    assertTrue(command.hasStart());
    assertFalse(command.hasStop());
    assertEquals("run-worker", command.getStart().getCommand());
    Map<String, String> environment = new HashMap<>();
    command
        .getStart()
        .getEnvironmentList()
        .forEach(entry -> environment.put(entry.getKey(), entry.getValue()));
    assertEquals("$HOME `id` \"ü\"\n", environment.get("GREETING"));
    assertEquals("6006", environment.get("TB_PORT"));
    assertEquals("1", environment.get("SESSION_ID"));
    assertEquals("11", environment.get("TONY_ATTEMPT"));
    assertEquals(ServedJob.CHECKPOINTS, environment.get("TONY_CHECKPOINT_DIR"));
    assertEquals(ServedJob.APPLICATION, environment.get("APPID"));
  }

  @Test
  public void shouldKeepACommandUntilItsExecutorAsks() throws Exception {
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));

    assertTrue(served.executor().awaitCommand(null, await(WORKER)).hasStart());
    assertTrue("again", served.executor().awaitCommand(null, await(WORKER)).hasStart());
  }

  @Test
  public void shouldTellAStartedTaskOnlyToStop() throws Exception {
    TaskProtocol executor = served.executor();
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, awaitStop(WORKER)));

    served.server.stop(WORKER, "another task failed", false);

    AwaitResponse command = answer.get();
    assertFalse(command.hasStart());
    assertEquals("another task failed", command.getStop().getReason());
  }

  @Test
  public void shouldPreferAStopToAStartThatWasNotFetched() throws Exception {
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    served.server.stop(WORKER, "the job is stopped", false);
    served.awaitLog();

    assertTrue(served.executor().awaitCommand(null, await(WORKER)).hasStop());
  }

  @Test
  public void shouldTellEachTaskItsOwnCommandOnly() throws Exception {
    TaskKey restarted = new TaskKey(WORKER.task(), 2, "container_8");
    served.server.expect(restarted);
    served.server.stop(WORKER, "it belongs to an earlier attempt", false);
    TaskProtocol executor = served.executor();
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, await(restarted)));

    served.server.start(new StartTask(restarted, 0, CLUSTER, 0, ""));

    assertTrue(answer.get().hasStart());
  }

  /** The first call's connection breaks while it waits; the executor calls again. */
  @Test
  public void shouldAnswerTheSecondCallWhenTheFirstWasLost() throws Exception {
    TaskProtocol first =
        Connections.open(TaskProtocol.class, served.server.address(), executorToken(), served.conf);
    try (AsyncCalls calls = new AsyncCalls()) {
      first.awaitCommand(null, await(WORKER));
      calls.sent();
    }
    // Behind the waiting call on the same connection: answered when that one is held.
    first.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
    Connections.close(first);
    TaskProtocol second = served.executor();
    AsyncGet<Message, Exception> answer;
    try (AsyncCalls calls = new AsyncCalls()) {
      second.awaitCommand(null, await(WORKER));
      answer = calls.sent();
    }
    second.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());

    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));

    assertTrue(((AwaitResponse) answer.get(60, TimeUnit.SECONDS)).hasStart());
  }

  private Token<TonyToken> executorToken() {
    return served.key.token(TonyToken.Audience.EXECUTOR);
  }

  /** All calls come over one connection, whose calls are taken in order by few handlers. */
  @Test
  public void shouldHoldNoHandlerForCallersThatWait() throws Exception {
    served.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_ASYNC_CALLS_MAX_KEY, 2 * MANY);
    TaskProtocol executor = served.executor();
    List<TaskKey> keys = new ArrayList<>();
    List<AsyncGet<Message, Exception>> answers = new ArrayList<>();
    try (AsyncCalls calls = new AsyncCalls()) {
      for (int index = 0; index < MANY; index++) {
        TaskKey key = new TaskKey(new TaskId("worker", index), 0, "container_" + index);
        keys.add(key);
        executor.awaitCommand(null, await(key));
        answers.add(calls.sent());
      }
    }

    executor.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());

    for (TaskKey key : keys) {
      served.server.stop(key, "stop " + key.task(), false);
    }
    for (int index = 0; index < MANY; index++) {
      AwaitResponse answer = (AwaitResponse) answers.get(index).get(60, TimeUnit.SECONDS);
      assertEquals("stop worker:" + index, answer.getStop().getReason());
    }
  }

  // ---- What clients see and ask for ----

  private static JobEvent fact(JobEvent.Type type) {
    return new JobEvent(Instant.EPOCH, type, 0, null, Map.of());
  }

  private static WatchRequest seen(int events) {
    return WatchRequest.newBuilder().setSeen(events).build();
  }

  @Test
  public void shouldTellAWatcherTheMomentSomethingHappens() throws Exception {
    ClientProtocol client = served.client();
    CompletableFuture<WatchResponse> answer = inBackground(() -> client.watch(null, seen(0)));

    served.log.record(List.of(fact(JobEvent.Type.GANG_RUNNING)));

    WatchResponse news = answer.get();
    assertEquals(List.of(EventJson.write(fact(JobEvent.Type.GANG_RUNNING))), news.getEventsList());
    assertFalse(news.getFinished());
  }

  @Test
  public void shouldTellAWatcherOnlyWhatIsNew() throws Exception {
    served.log.record(List.of(fact(JobEvent.Type.AM_STARTED)));
    served.log.record(List.of(fact(JobEvent.Type.GANG_REQUESTED)));
    served.log.record(List.of(fact(JobEvent.Type.GANG_RUNNING)));
    served.log.close();

    assertEquals(3, served.client().watch(null, seen(0)).getEventsCount());
    assertEquals(
        List.of(EventJson.write(fact(JobEvent.Type.GANG_RUNNING))),
        served.client().watch(null, seen(2)).getEventsList());
  }

  @Test
  public void shouldLetAWatcherGoWhosePatienceEnds() throws Exception {
    WatchRequest impatient = WatchRequest.newBuilder().setSeen(0).setPatienceMs(50).build();

    WatchResponse nothing = served.client().watch(null, impatient);

    assertEquals(0, nothing.getEventsCount());
    assertFalse(nothing.getFinished());
  }

  @Test
  public void shouldTellALongStoryInSeveralAnswers() throws Exception {
    String text = "x".repeat(400_000);
    JobEvent large =
        new JobEvent(Instant.EPOCH, JobEvent.Type.TASK_PROGRESS, 0, null, Map.of("text", text));
    for (int i = 0; i < 5; i++) {
      served.log.record(List.of(large));
    }
    served.log.close();
    served.server.finish();

    ClientProtocol client = served.client();
    WatchResponse first = client.watch(null, seen(0));
    assertFalse("there is more", first.getFinished());
    WatchResponse second = client.watch(null, seen(first.getEventsCount()));

    assertEquals(5, first.getEventsCount() + second.getEventsCount());
    assertTrue(second.getFinished());
  }

  @Test
  public void shouldTellEveryWatcherThatNothingMoreComes() throws Exception {
    ClientProtocol one = served.client();
    ClientProtocol other = served.client();
    CompletableFuture<WatchResponse> first = inBackground(() -> one.watch(null, seen(0)));
    CompletableFuture<WatchResponse> second = inBackground(() -> other.watch(null, seen(0)));

    served.server.finish();

    assertTrue(first.get().getFinished());
    assertTrue(second.get().getFinished());
    assertTrue(served.client().watch(null, seen(0)).getFinished());
  }

  @Test
  public void shouldSayHowLongAgoAClientFollowed() throws Exception {
    clock.pass(Duration.ofMinutes(5));
    assertEquals(300_000, unwatchedMs());
    clock.pass(Duration.ofMinutes(1));
    assertEquals("asking is no watching", 360_000, unwatchedMs());

    served.client().watch(null, WatchRequest.newBuilder().setSeen(0).setPatienceMs(10).build());
    clock.pass(Duration.ofMillis(7));

    assertEquals(7, unwatchedMs());
  }

  @Test
  public void shouldCountTheClientsThatAreConnected() throws Exception {
    served.executor().heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
    ClientProtocol asker = served.client();
    assertEquals(1, asker.unwatched(null, Empty.getDefaultInstance()).getClients());

    served.client().watch(null, WatchRequest.newBuilder().setSeen(0).setPatienceMs(1).build());

    assertEquals(2, asker.unwatched(null, Empty.getDefaultInstance()).getClients());
  }

  private long unwatchedMs() throws Exception {
    return served.client().unwatched(null, Empty.getDefaultInstance()).getUnwatchedMs();
  }

  @Test
  public void shouldWriteWhatItTellsToTheLog() throws Exception {
    served.log.record(List.of(fact(JobEvent.Type.AM_STARTED)));

    served.close();

    FileSystem fs = FileSystem.getLocal(served.conf).getRawFileSystem();
    assertEquals(List.of(fact(JobEvent.Type.AM_STARTED)), WholeLog.read(fs, served.logFolder));
  }

  @Test
  public void shouldGoOnForAWatcherWhereAnEarlierApplicationMasterStopped() throws Exception {
    served.log.record(List.of(fact(JobEvent.Type.AM_STARTED)));
    served.log.record(List.of(fact(JobEvent.Type.GANG_RUNNING)));
    served.close(); // what was told is in the file, as after a SIGKILL

    try (ServedJob next = new ServedJob(JOB, clock, folder.getRoot(), 2)) {
      next.log.record(List.of(fact(JobEvent.Type.JOB_FINISHED)));
      next.log.close();
      next.server.finish();

      assertEquals(
          List.of(EventJson.write(fact(JobEvent.Type.JOB_FINISHED))),
          next.client().watch(null, seen(2)).getEventsList());
      assertEquals(3, next.client().watch(null, seen(0)).getEventsCount());
    }
  }

  @Test
  public void shouldPassAStopOnWithWhoAskedForIt() throws Exception {
    served.client().stop(null, StopRequest.newBuilder().setWho("ada").build());

    assertEquals(new Event.StopRequested(clock.instant(), "ada"), served.event());
  }

  @Test
  public void shouldWaitForTheClientThatHasYarnKillTheJob() throws Exception {
    assertFalse(served.server.awaitRelease(Duration.ZERO));
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Boolean> released =
        inBackground(
            () -> {
              asked.countDown();
              return served.server.awaitRelease(Duration.ofSeconds(10));
            });
    asked.await();

    served.client().leave(null, Empty.getDefaultInstance());

    assertTrue(released.get());
  }

  @Test
  public void shouldKnowWhetherSomebodyIsConnected() throws Exception {
    assertFalse(served.server.connected());
    ClientProtocol client =
        Connections.open(ClientProtocol.class, served.server.address(), clientToken(), served.conf);
    client.stop(null, StopRequest.newBuilder().setWho("ada").build());
    assertTrue(served.server.connected());

    Connections.close(client);

    while (served.server.connected()) {
      Thread.onSpinWait(); // the server tells nobody that a connection has ended
    }
  }

  private Token<TonyToken> clientToken() {
    return served.key.token(TonyToken.Audience.CLIENT);
  }

  @Test
  public void shouldGiveExecutorsTheTokensThatAClientBrings() throws Exception {
    Token<TokenIdentifier> token =
        new Token<>(new byte[0], new byte[0], new Text("HDFS"), new Text("hdfs://there"));
    Credentials credentials = new Credentials();
    credentials.addToken(token.getService(), token);
    Tokens first = DelegatedTokens.message(7, credentials);
    TaskProtocol executor = served.executor();
    HeartbeatRequest.Builder beat = HeartbeatRequest.newBuilder().setTask(wire(WORKER));
    assertFalse(executor.heartbeat(null, beat.build()).hasTokens());

    served.client().renew(null, first);

    assertEquals(first, executor.heartbeat(null, beat.build()).getTokens());
    assertFalse(executor.heartbeat(null, beat.setTokensVersion(7).build()).hasTokens());
    assertEquals(List.of(token), List.copyOf(served.own.getTokens()));

    served.client().renew(null, first.toBuilder().setVersion(6).build());
    assertEquals(first, executor.heartbeat(null, beat.setTokensVersion(0).build()).getTokens());
  }
}
