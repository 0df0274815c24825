package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.inBackground;
import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.CloseRequest;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.OpenResponse;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.protocol.proto.TonyProtos.Window;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A client and the executors of its job, at the two ends of tunnels. */
public class TunnelsTest {
  private static final OpenRequest TO_PORT =
      OpenRequest.newBuilder().setWho("ada").setRole("worker").setIndex(0).build();
  private static final OpenRequest SHELL =
      TO_PORT.toBuilder().setShell(Shell.newBuilder().setCommand("nvidia-smi")).build();

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final ServedJob.SetClock clock = new ServedJob.SetClock();
  private ServedJob served;
  private TaskProtocol executor;
  private ClientProtocol client;

  @Before
  public void serve() throws Exception {
    served = new ServedJob(job().workers(3).spec(), clock, folder.getRoot());
    executor = served.executor();
    client = served.client();
  }

  @After
  public void close() {
    served.close();
  }

  private TaskKey registered(int index) throws Exception {
    TaskKey key = new TaskKey(new TaskId("worker", index), 0, "container_" + index);
    served.server.expect(key);
    executor.register(
        null, RegisterRequest.newBuilder().setTask(wire(key)).setHost("h").setPort(1).build());
    assertEquals(Event.TaskRegistered.class, served.event().getClass());
    return key;
  }

  private long open(OpenRequest request) throws ServiceException {
    OpenResponse opened = client.open(null, request);
    assertFalse(opened.toString(), opened.hasProblem());
    return opened.getTunnel();
  }

  /** A shell that the event log has. */
  private long opened() throws Exception {
    long tunnel = open(SHELL);
    assertEquals(Event.ShellRequested.class, served.event().getClass());
    served.server.openShell(tunnel);
    return tunnel;
  }

  private String refused(OpenRequest request) throws ServiceException {
    return client.open(null, request).getProblem();
  }

  private AwaitResponse awaitCommand(TaskKey key, long known) throws ServiceException {
    return executor.awaitCommand(
        null,
        AwaitRequest.newBuilder()
            .setTask(wire(key))
            .setStarted(true)
            .setHandledTunnel(known)
            .build());
  }

  private static Chunk chunk(long number, String text) {
    return Chunk.newBuilder().setNumber(number).setData(ByteString.copyFromUtf8(text)).build();
  }

  private static Chunk large(long number) {
    return chunk(number, "x".repeat(io.tony.tunnel.Chunk.MAX_BYTES));
  }

  private PutResponse clientPuts(long tunnel, Chunk chunk) throws ServiceException {
    return client.put(null, PutRequest.newBuilder().setTunnel(tunnel).setChunk(chunk).build());
  }

  private TakeResponse clientTakes(long tunnel, long known) throws ServiceException {
    return client.take(null, TakeRequest.newBuilder().setTunnel(tunnel).setKnown(known).build());
  }

  private PutResponse puts(TaskKey key, long tunnel, Chunk chunk) throws ServiceException {
    return executor.put(
        null, PutRequest.newBuilder().setTask(wire(key)).setTunnel(tunnel).setChunk(chunk).build());
  }

  private TakeResponse takes(TaskKey key, long tunnel, long known) throws ServiceException {
    return executor.take(
        null,
        TakeRequest.newBuilder().setTask(wire(key)).setTunnel(tunnel).setKnown(known).build());
  }

  @Test
  public void shouldPassBytesBothWays() throws Exception {
    TaskKey worker = registered(0);
    registered(1);

    long tunnel = open(TO_PORT);

    assertEquals(tunnel, awaitCommand(worker, 0).getTunnel().getTunnel());
    assertTrue(clientPuts(tunnel, chunk(1, "GET /")).getTaken());
    assertEquals("GET /", takes(worker, tunnel, 0).getChunk().getData().toStringUtf8());
    assertTrue(puts(worker, tunnel, chunk(1, "200 OK")).getTaken());
    assertEquals(chunk(1, "200 OK"), clientTakes(tunnel, 0).getChunk());
    assertTrue("a connection to a port is not recorded", served.noEvent());
  }

  @Test
  public void shouldOpenAShellWhenTheLogHasIt() throws Exception {
    TaskKey worker = registered(0);
    CompletableFuture<AwaitResponse> command = inBackground(() -> awaitCommand(worker, 0));

    long tunnel = open(SHELL);

    Event.ShellRequested wanted = (Event.ShellRequested) served.event();
    assertEquals(worker, wanted.key());
    assertEquals("ada", wanted.requester());
    assertEquals(tunnel, wanted.tunnel());
    assertFalse(command.isDone());
    served.server.openShell(tunnel);
    assertEquals(SHELL.getShell(), command.get().getTunnel().getShell());
  }

  @Test
  public void shouldRecordTheEndOfAShellThatWasClosedBeforeTheLogHadIt() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = open(SHELL);
    assertEquals(Event.ShellRequested.class, served.event().getClass());
    client.close(null, CloseRequest.newBuilder().setTunnel(tunnel).build());
    assertTrue("the log has no beginning of it", served.noEvent());

    served.server.openShell(tunnel);

    assertEquals(Event.ShellClosed.class, served.event().getClass());
    CompletableFuture<AwaitResponse> command = inBackground(() -> awaitCommand(worker, 0));
    served.server.stop(worker, "the end", false);
    assertTrue(command.get().hasStop());
  }

  @Test
  public void shouldTakeWhatIsSentTwiceOnce() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = open(TO_PORT);

    assertTrue(clientPuts(tunnel, chunk(1, "a")).getTaken());
    assertTrue(clientPuts(tunnel, chunk(1, "a")).getTaken());
    assertTrue(clientPuts(tunnel, chunk(2, "b")).getTaken());

    assertEquals(chunk(1, "a"), takes(worker, tunnel, 0).getChunk());
    assertEquals("its answer was lost", chunk(1, "a"), takes(worker, tunnel, 0).getChunk());
    assertEquals(chunk(2, "b"), takes(worker, tunnel, 1).getChunk());
    assertThrows("one is missing", ServiceException.class, () -> clientPuts(tunnel, large(4)));
  }

  @Test
  public void shouldHoldWhoPutsMoreThanIsTaken() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = open(TO_PORT);
    int room = TunnelPipe.MAX_BYTES / io.tony.tunnel.Chunk.MAX_BYTES;
    for (int number = 1; number <= room; number++) {
      assertTrue(clientPuts(tunnel, large(number)).getTaken());
    }

    CompletableFuture<PutResponse> held = inBackground(() -> clientPuts(tunnel, large(room + 1)));
    assertEquals(1, takes(worker, tunnel, 0).getChunk().getNumber());
    assertFalse("that one may not have arrived", held.isDone());

    assertEquals(2, takes(worker, tunnel, 1).getChunk().getNumber());
    assertTrue(held.get().getTaken());
    for (int known = 2; known <= room; known++) {
      assertEquals(known + 1, takes(worker, tunnel, known).getChunk().getNumber());
    }
  }

  /** Whoever has the job's key: not even a chunk without data is free. */
  @Test
  public void shouldHoldWhoPutsWithoutEnd() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = open(TO_PORT);
    Window window = Window.newBuilder().setRows(1).setColumns(1).build();
    AtomicLong put = new AtomicLong();
    CompletableFuture<PutResponse> flood =
        inBackground(
            () -> {
              Chunk.Builder chunk = Chunk.newBuilder().setWindow(window);
              PutResponse answer;
              do {
                answer = clientPuts(tunnel, chunk.setNumber(put.incrementAndGet()).build());
              } while (answer.getTaken());
              return answer;
            });

    long before;
    do {
      before = put.get();
      Thread.sleep(200); // by then the next one would have been taken
    } while (before < 1_000 || before != put.get());
    served.server.forget(worker.container());

    assertTrue(flood.get().hasClosed());
    assertTrue(put + " chunks", put.get() < 3_000);
    Chunk longProblem = Chunk.newBuilder().setNumber(1).setProblem("x".repeat(80_000)).build();
    long next = open(TO_PORT.toBuilder().setIndex(registered(1).task().index()).build());
    assertThrows(ServiceException.class, () -> clientPuts(next, longProblem));
    assertTrue(clientPuts(next, Chunk.newBuilder().setNumber(1).setEnd(true).build()).getTaken());
    assertThrows("it has ended", ServiceException.class, () -> clientPuts(next, chunk(2, "x")));
  }

  @Test
  public void shouldShowATunnelToNoOtherContainer() throws Exception {
    registered(0);
    TaskKey other = registered(1);
    long tunnel = open(TO_PORT);
    clientPuts(tunnel, chunk(1, "secret"));

    TakeResponse taken = takes(other, tunnel, 0);

    assertFalse(taken.hasChunk());
    assertEquals("the tunnel is closed", taken.getClosed());
    assertEquals("the tunnel is closed", puts(other, tunnel, chunk(1, "x")).getClosed());
  }

  @Test
  public void shouldTellBothEndsThatItIsClosed() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = opened();
    puts(worker, tunnel, chunk(1, "the last words"));
    CompletableFuture<TakeResponse> held = inBackground(() -> takes(worker, tunnel, 0));

    client.close(null, CloseRequest.newBuilder().setTunnel(tunnel).build());

    assertEquals("its client has closed it", held.get().getClosed());
    assertEquals("its client has closed it", clientPuts(tunnel, chunk(1, "x")).getClosed());
    assertEquals("the last words", clientTakes(tunnel, 0).getChunk().getData().toStringUtf8());
    assertEquals("its client has closed it", clientTakes(tunnel, 1).getClosed());
    Event.ShellClosed left = (Event.ShellClosed) served.event();
    assertEquals(worker, left.key());
    client.close(null, CloseRequest.newBuilder().setTunnel(tunnel).build());
    assertTrue("it was left once", served.noEvent());
  }

  @Test
  public void shouldNotTellAnExecutorOfATunnelThatIsClosed() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = opened();
    client.close(null, CloseRequest.newBuilder().setTunnel(tunnel).build());

    CompletableFuture<AwaitResponse> command = inBackground(() -> awaitCommand(worker, 0));
    served.server.stop(worker, "the end", false);

    assertTrue(command.get().hasStop());
  }

  @Test
  public void shouldTellTheClientWhyTheJobHasNoPlaceForAShell() throws Exception {
    registered(0);
    long tunnel = open(SHELL);
    served.event();

    served.server.refuseShell(tunnel, "the job is ending");

    assertEquals("the job is ending", clientTakes(tunnel, 0).getClosed());
    assertTrue("the log has no beginning of it", served.noEvent());
  }

  @Test
  public void shouldEndWithItsJob() throws Exception {
    registered(0);
    long tunnel = opened();
    CompletableFuture<TakeResponse> held = inBackground(() -> clientTakes(tunnel, 0));

    served.server.finish();

    assertEquals("the job has ended", held.get().getClosed());
  }

  @Test
  public void shouldFindTheNewContainerOfATask() throws Exception {
    registered(0);
    TaskKey next = new TaskKey(new TaskId("worker", 0), 1, "container_8");
    served.server.expect(next);
    executor.register(
        null, RegisterRequest.newBuilder().setTask(wire(next)).setHost("h").setPort(1).build());
    served.event();

    long tunnel = open(OpenRequest.newBuilder().setWho("ada").build());

    assertEquals(tunnel, awaitCommand(next, 0).getTunnel().getTunnel());
  }

  @Test
  public void shouldEndWithItsContainer() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = opened();

    served.server.forget(worker.container());

    assertEquals("the container of worker:0 has ended", clientTakes(tunnel, 0).getClosed());
    assertEquals(Event.ShellClosed.class, served.event().getClass());
  }

  @Test
  public void shouldEndWithAClientThatIsNotHeardOf() throws Exception {
    TaskKey worker = registered(0);
    long tunnel = opened();
    clock.pass(Duration.ofMillis(Tunnel.MAX_SILENCE_MS));
    puts(worker, tunnel, chunk(1, "the executor is there"));
    clock.pass(Duration.ofMillis(1));

    Event left = served.event();
    while (!(left instanceof Event.ShellClosed)) {
      left = served.event(); // the executors are not heard of, either
    }

    assertEquals("its client has been silent for 45 s", takes(worker, tunnel, 0).getClosed());
  }

  @Test
  public void shouldFindTheTask() throws Exception {
    assertEquals(
        "no task of the job is running", refused(OpenRequest.newBuilder().setWho("ada").build()));
    registered(0);
    assertNotEquals(0, open(OpenRequest.newBuilder().setWho("ada").build()));

    registered(1);
    assertEquals(
        "the job has several tasks; name one: worker:0, worker:1",
        refused(OpenRequest.newBuilder().setWho("ada").build()));
    assertEquals(
        "no task worker:7 is running; these are: worker:0, worker:1",
        refused(TO_PORT.toBuilder().setIndex(7).build()));
  }

  @Test
  public void shouldOpenSoManyOnly() throws Exception {
    served.close();
    served = new ServedJob(job().workers(5).spec(), clock, folder.newFolder());
    executor = served.executor();
    client = served.client();
    for (int task = 0; task < 5; task++) {
      registered(task);
    }
    long first = open(TO_PORT);
    for (int i = 1; i < Tunnels.MAX_TUNNELS_PER_TASK; i++) {
      open(TO_PORT);
    }
    assertEquals("32 shells and connections to worker:0 are open, the limit", refused(TO_PORT));
    for (int i = Tunnels.MAX_TUNNELS_PER_TASK; i < Tunnels.MAX_TUNNELS; i++) {
      open(TO_PORT.toBuilder().setIndex(1 + i % 4).build());
    }
    OpenRequest another = TO_PORT.toBuilder().setIndex(4).build();
    assertEquals(
        "64 shells and connections to this job are open, the limit: close one", refused(another));

    client.close(null, CloseRequest.newBuilder().setTunnel(first).build());

    open(TO_PORT);
  }

  @Test
  public void shouldForgetTheOldestThatAreClosed() throws Exception {
    registered(0);
    long first = open(TO_PORT);
    client.close(null, CloseRequest.newBuilder().setTunnel(first).build());
    assertEquals("its client has closed it", clientTakes(first, 0).getClosed());

    for (int i = 0; i < 2 * Tunnels.MAX_TUNNELS; i++) {
      client.close(null, CloseRequest.newBuilder().setTunnel(open(TO_PORT)).build());
    }

    assertEquals("the tunnel is closed", clientTakes(first, 0).getClosed());
  }

  @Test
  public void shouldRefuseALongCommand() throws Exception {
    registered(0);
    Shell longer = Shell.newBuilder().setCommand("x".repeat(65_537)).build();

    String problem = refused(SHELL.toBuilder().setShell(longer).build());

    assertTrue(problem, problem.contains("has 65541 bytes, of which it may have 65536"));
  }

  @Test
  public void shouldOpenNoShellWhereTheClusterAllowsNone() throws Exception {
    served.close();
    served = ServedJob.withoutShells(job().workers(1).spec(), folder.newFolder());
    executor = served.executor();
    client = served.client();
    registered(0);

    assertEquals(
        "this cluster allows no shells in containers (tony.task.shell.enabled)", refused(SHELL));
    open(TO_PORT);
    assertTrue(served.noEvent());
  }
}
