package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.await;
import static io.tony.am.rpc.ServedJob.awaitStop;
import static io.tony.am.rpc.ServedJob.inBackground;
import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Event;
import io.tony.model.ClusterSpec;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobSpec;
import io.tony.model.ProgramSignal;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.apache.hadoop.util.concurrent.AsyncGet;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * What one executor is told from attempt to attempt, and by one ApplicationMaster after another.
 */
public class ContainerCommandsTest {
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 1, "container_7");
  private static final TaskKey RESTARTED = new TaskKey(WORKER.task(), 4, WORKER.container());
  private static final ClusterSpec CLUSTER =
      new ClusterSpec(Map.of("worker", List.of(new Endpoint("host", 7000))));

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ServedJob.SetClock clock = new ServedJob.SetClock();
  private ServedJob served;

  @Before
  public void serve() throws IOException {
    served = new ServedJob(job().workers(1).spec(), clock, folder.getRoot());
  }

  @After
  public void close() {
    served.close();
  }

  private static AwaitRequest knowing(Instant announced) {
    return awaitStop(WORKER).toBuilder().setAskedMs(announced.toEpochMilli()).build();
  }

  @Test
  public void shouldTellAStartedTaskOfEachPreemptionOnce() throws Exception {
    Instant first = Instant.ofEpochMilli(1_700_000_000_000L);
    Instant second = first.minusSeconds(1); // somebody has set the clock
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    served.server.requestCheckpoint(WORKER, first);
    assertTrue("to start comes first", executor.awaitCommand(null, await(WORKER)).hasStart());

    AwaitResponse told = executor.awaitCommand(null, awaitStop(WORKER));
    assertEquals(first.toEpochMilli(), told.getAsk().getAskedMs());
    assertEquals(ProgramSignal.NONE.number(), told.getAsk().getSignal());
    CompletableFuture<AwaitResponse> next =
        inBackground(() -> executor.awaitCommand(null, knowing(first)));
    served.server.requestCheckpoint(WORKER, second);
    assertEquals(second.toEpochMilli(), next.get().getAsk().getAskedMs());
  }

  @Test
  public void shouldTellTheNextAttemptOfNoEarlierPreemption() throws Exception {
    Instant announced = Instant.ofEpochMilli(1_700_000_000_000L);
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    served.server.requestCheckpoint(WORKER, announced);
    served.server.restart(RESTARTED, "worker:1 failed", false);
    served.server.requestCheckpoint(WORKER, announced); // it crossed the restart
    served.server.start(new StartTask(RESTARTED, 1, CLUSTER, 0, ""));
    assertTrue(executor.awaitCommand(null, await(RESTARTED)).hasStart());

    CompletableFuture<AwaitResponse> next =
        inBackground(() -> executor.awaitCommand(null, awaitStop(RESTARTED)));
    served.server.stop(RESTARTED, "over", false);

    assertTrue(next.get().hasStop());
  }

  @Test
  public void shouldTellAStartedTaskTheMomentItIsToRestart() throws Exception {
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    assertTrue(executor.awaitCommand(null, await(WORKER)).hasStart());
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, awaitStop(WORKER)));

    served.server.restart(RESTARTED, "worker:1 failed", false);

    AwaitResponse command = answer.get();
    assertFalse(command.hasStart() || command.hasStop());
    assertEquals(4, command.getRestart().getAttempt());
    assertEquals("worker:1 failed", command.getRestart().getReason());
    assertFalse(command.getRestart().hasStacks());
  }

  @Test
  public void shouldTellATaskWhoseGangHangsToTellWhereItStands() throws Exception {
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();

    served.server.restart(RESTARTED, "worker:1 hangs", true);
    assertTrue(executor.awaitCommand(null, awaitStop(WORKER)).getRestart().getStacks());

    served.server.stop(RESTARTED, "the job is stopped", true);
    assertTrue(executor.awaitCommand(null, awaitStop(RESTARTED)).getStop().getStacks());
  }

  @Test
  public void shouldKeepARestartForAnEarlierAttemptAndAStartForTheNext() throws Exception {
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    served.server.restart(RESTARTED, "worker:1 failed", false);
    served.awaitLog();
    assertEquals(4, executor.awaitCommand(null, await(WORKER)).getRestart().getAttempt());
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, await(RESTARTED)));

    served.server.start(new StartTask(RESTARTED, 1, CLUSTER, 0, ""));

    assertTrue("its own start", answer.get().hasStart());
    assertTrue("not fetched yet", executor.awaitCommand(null, await(RESTARTED)).hasStart());
    assertEquals(
        "an answer that was lost",
        4,
        executor.awaitCommand(null, awaitStop(WORKER)).getRestart().getAttempt());
  }

  /** A file system may be asked, which does not answer. */
  @Test
  public void shouldTellAStopWhileAStartIsStillBeingWritten() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> answered = new CompletableFuture<>();
    served.stores =
        gang -> {
          begun.countDown();
          answered.join();
          return gang;
        };
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, await(WORKER)));
    begun.await();

    served.server.stop(WORKER, "the job is stopped", false);

    assertEquals("the job is stopped", answer.get().getStop().getReason());
    answered.complete(null);
  }

  @Test
  public void shouldForgetAStartThatARestartOvertook() throws Exception {
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.restart(RESTARTED, "worker:1 failed", false);
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, await(RESTARTED)));

    served.server.restart(new TaskKey(WORKER.task(), 5, WORKER.container()), "and again", false);

    assertEquals(5, answer.get().getRestart().getAttempt());
  }

  @Test
  public void shouldPreferAStopToARestart() throws Exception {
    served.server.expect(WORKER);
    TaskProtocol executor = served.executor();
    served.server.restart(RESTARTED, "worker:1 failed", false);
    served.server.stop(RESTARTED, "the job is stopped", false);
    served.server.restart(new TaskKey(WORKER.task(), 5, WORKER.container()), "too late", false);
    served.server.start(new StartTask(RESTARTED, 1, CLUSTER, 0, ""));
    served.awaitLog();

    for (AwaitRequest request : List.of(await(WORKER), awaitStop(WORKER), await(RESTARTED))) {
      AwaitResponse command = executor.awaitCommand(null, request);
      assertEquals("the job is stopped", command.getStop().getReason());
      assertFalse(command.hasRestart() || command.hasStart());
    }
  }

  // ---- Executors that come from an earlier ApplicationMaster ----

  private static RegisterRequest register(TaskKey key) {
    return RegisterRequest.newBuilder().setTask(wire(key)).setHost("h").setPort(1).build();
  }

  /** It misses nobody before its clock is let go: the limit is too short for a call. */
  private ServedJob impatient() throws IOException {
    JobSpec spec = job().workers(1).heartbeats(Duration.ofMillis(20), 5).spec();
    return new ServedJob(spec, clock, folder.newFolder());
  }

  @Test
  public void shouldTakeARunningProcessForStarted() throws Exception {
    served.executor().register(null, register(WORKER).toBuilder().setPid(4711).build());

    assertEquals(Event.TaskRegistered.class, served.event().getClass());
    assertEquals(new Event.TaskStarted(clock.instant(), WORKER, 4711), served.event());
  }

  @Test
  public void shouldEndAnExecutorThatAsksAndNeverRegisters() throws Exception {
    try (ServedJob job = impatient()) {
      AwaitResponse command = job.executor().awaitCommand(null, awaitStop(WORKER));

      assertEquals(
          "container_7 is not a container of this job any more", command.getStop().getReason());
      assertEquals(0, job.server.mailboxCount());
    }
  }

  /** Its threads find the new ApplicationMaster one after the other. */
  @Test
  public void shouldWaitForTheRegistrationOfAnExecutorThatAsksFirst() throws Exception {
    TaskProtocol executor = served.executor();
    AsyncGet<Message, Exception> early;
    try (AsyncCalls calls = new AsyncCalls()) {
      executor.awaitCommand(null, awaitStop(WORKER));
      early = calls.sent();
    }

    // Behind the waiting call on the same connection: taken when that one is held.
    executor.register(null, register(WORKER));

    assertEquals(AwaitResponse.getDefaultInstance(), early.get(60, TimeUnit.SECONDS));
    CompletableFuture<AwaitResponse> answer =
        inBackground(() -> executor.awaitCommand(null, awaitStop(WORKER)));
    served.server.stop(WORKER, "it is not known", false);
    assertEquals("it is not known", answer.get().getStop().getReason());
  }

  @Test
  public void shouldRestartAnAdoptedExecutorThatWasNotToldInTime() throws Exception {
    served.server.adopt(List.of(RESTARTED));

    AwaitResponse command = served.executor().awaitCommand(null, awaitStop(WORKER));

    assertEquals(4, command.getRestart().getAttempt());
  }

  @Test
  public void shouldMissAnAdoptedExecutorThatNeverComes() throws Exception {
    try (ServedJob job = impatient()) {
      job.server.adopt(List.of(RESTARTED));
      job.server.markPublished();
      clock.go();

      assertEquals(RESTARTED, ((Event.HeartbeatTimedOut) job.event()).key());
    }
  }

  @Test
  public void shouldMissARestartedExecutorAsWhatItIsToBe() throws Exception {
    try (ServedJob job = impatient()) {
      job.executor().register(null, register(WORKER));
      job.server.restart(RESTARTED, "worker:1 failed", false);
      clock.go();

      assertEquals(Event.TaskRegistered.class, job.event().getClass());
      assertEquals(RESTARTED, ((Event.HeartbeatTimedOut) job.event()).key());
      assertTrue(job.noEvent());
    }
  }

  @Test
  public void shouldEndTheExecutorOfAContainerThatHasEnded() throws Exception {
    TaskProtocol executor = served.executor();
    executor.register(null, register(WORKER));
    AsyncGet<Message, Exception> answer;
    try (AsyncCalls calls = new AsyncCalls()) {
      executor.awaitCommand(null, awaitStop(WORKER));
      answer = calls.sent();
    }
    // Behind the waiting call on the same connection: answered when that one is held.
    executor.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());

    served.server.forget(WORKER.container());

    assertTrue(((AwaitResponse) answer.get(60, TimeUnit.SECONDS)).hasStop());
  }

  /** Else the end of its program, which it tells then, would seem to be why. */
  @Test
  public void shouldTellTheLoopOfAContainersEndBeforeItsExecutor() {
    served.server.expect(WORKER);
    List<Integer> mailboxes = new ArrayList<>();
    served.loop = event -> mailboxes.add(served.server.mailboxCount());

    served
        .server
        .containerEventSink()
        .offer(
            new Event.ContainerEnded(
                clock.instant(), WORKER, FailureKind.PREEMPTED, "YARN preempted the container"));

    assertEquals(List.of(1), mailboxes);
    assertEquals(0, served.server.mailboxCount());
  }

  // ---- What takes long ----

  @Test
  public void shouldMissExecutorsWhileAStartIsWritten() throws Exception {
    try (ServedJob job = impatient()) {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch written = new CountDownLatch(1);
      job.stores =
          gang -> {
            begun.countDown();
            awaitQuietly(written);
            return gang;
          };
      job.server.expect(WORKER);
      TaskProtocol executor = job.executor();
      executor.register(null, register(WORKER));
      assertEquals(Event.TaskRegistered.class, job.event().getClass());
      AsyncGet<Message, Exception> answer;
      try (AsyncCalls calls = new AsyncCalls()) {
        executor.awaitCommand(null, await(WORKER));
        answer = calls.sent();
      }
      // Behind the waiting call on the same connection: answered when that one is held.
      executor.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
      job.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
      begun.await();

      clock.go();

      assertEquals(WORKER, ((Event.HeartbeatTimedOut) job.event()).key());
      written.countDown();
      assertTrue(((AwaitResponse) answer.get(60, TimeUnit.SECONDS)).hasStart());
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- How long a box is there ----

  @Test
  public void shouldKeepNothingForAContainerThatHasEnded() throws Exception {
    served.server.expect(WORKER);
    served.server.start(new StartTask(WORKER, 0, CLUSTER, 0, ""));
    served.server.forget(WORKER.container());

    served.server.stop(WORKER, "the job is stopped", false);
    served.server.restart(RESTARTED, "worker:1 failed", false);
    served.server.start(new StartTask(RESTARTED, 1, CLUSTER, 0, ""));

    served.awaitLog();
    assertEquals(0, served.server.mailboxCount());
  }

  @Test
  public void shouldEndAnExecutorThatAsksWhenItsContainerHasEnded() throws Exception {
    try (ServedJob job = impatient()) {
      job.server.expect(WORKER);
      job.server.forget(WORKER.container());

      assertTrue(job.executor().awaitCommand(null, awaitStop(WORKER)).hasStop());
      assertEquals(0, job.server.mailboxCount());
    }
  }

  @Test
  public void shouldForgetAStrangerThatWasToldToStop() throws Exception {
    TaskProtocol executor = served.executor();
    executor.register(null, register(WORKER));
    assertEquals(1, served.server.mailboxCount());
    served.server.stop(WORKER, "it belongs to an earlier attempt", false);
    served.awaitLog();

    AwaitResponse command = executor.awaitCommand(null, await(WORKER));

    assertEquals("it belongs to an earlier attempt", command.getStop().getReason());
    assertEquals(0, served.server.mailboxCount());
  }
}
