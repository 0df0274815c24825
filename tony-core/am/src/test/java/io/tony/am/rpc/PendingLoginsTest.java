package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.model.PortRange;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.JobKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What callers without a login can take of an ApplicationMaster's RPC port. */
public class PendingLoginsTest {
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 1, "container_7");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final JobKey key = JobKey.random("application_1_0001");
  private final Configuration conf = new Configuration();
  private final List<AutoCloseable> toClose = new ArrayList<>();

  @After
  public void close() throws Exception {
    for (AutoCloseable each : toClose) {
      each.close();
    }
  }

  /** A server where so few may be without a login. */
  private RPC.Server serve(int maxPending, Duration maxTime, List<PendingLogins> guard)
      throws IOException {
    RpcPort.BoundPort bound = new RpcPort(conf, "127.0.0.1", PortRange.ANY, 1, key).bind();
    RPC.Server server = bound.serve(answering(TaskProtocol.class), answering(ClientProtocol.class));
    toClose.add(server::stop);
    guard.add(PendingLogins.guard(server, maxPending, maxTime).orElseThrow());
    return server;
  }

  private static <T> T answering(Class<T> protocol) {
    return protocol.cast(
        Proxy.newProxyInstance(
            protocol.getClassLoader(),
            new Class<?>[] {protocol},
            (proxy, method, arguments) -> Empty.getDefaultInstance()));
  }

  private ClientProtocol client(RPC.Server server) throws IOException {
    ClientProtocol client =
        Connections.open(
            ClientProtocol.class,
            server.getListenerAddress(),
            key.token(TonyToken.Audience.CLIENT),
            conf);
    toClose.add(() -> Connections.close(client));
    return client;
  }

  private Socket stranger(RPC.Server server) throws IOException {
    Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), server.getListenerAddress().getPort());
    toClose.add(socket);
    return socket;
  }

  private static void call(ClientProtocol client) throws ServiceException {
    client.stop(null, StopRequest.newBuilder().setWho("ada").build());
  }

  @Test
  public void shouldOutliveStrangersThatAnnounceLongMessages() throws Exception {
    int strangers = 400;
    Path log = folder.newFile("am.log").toPath();

    Process master =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-Dlog4j.configuration=tony-container-log4j.properties",
                "-cp",
                System.getProperty("java.class.path"),
                AttackedMaster.class.getName(),
                folder.newFolder().getPath(),
                Integer.toString(strangers))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    toClose.add(master::destroyForcibly);

    assertTrue(master.waitFor(100, TimeUnit.SECONDS));
    List<String> lines = Files.readAllLines(log);
    List<String> first = lines.subList(0, Math.min(30, lines.size()));
    assertEquals(String.join("\n", first), 0, master.exitValue());
    assertTrue(
        "it is told: " + first,
        lines.stream().anyMatch(line -> line.contains("rpc: callers without a login: 127.0.0.1")));
    assertTrue(lines.size() + " lines: " + first, lines.size() < 20);
  }

  @Test
  public void shouldCloseTheOldestOfTooManyAndNobodyWhoHasLoggedIn() throws Exception {
    List<PendingLogins> guard = new ArrayList<>();
    RPC.Server server = serve(4, Duration.ofHours(1), guard);
    ClientProtocol known = client(server);
    call(known);
    List<Socket> strangers = new ArrayList<>();

    for (int i = 0; i < 20; i++) {
      strangers.add(stranger(server));
    }

    for (Socket old : strangers.subList(0, 16)) {
      assertEquals("closed", -1, old.getInputStream().read());
    }
    call(known);
    call(client(server));
    assertTrue(guard.get(0).pendingCount() <= 4);
  }

  @Test
  public void shouldCloseACallerThatTricklesItsLogin() throws Exception {
    List<PendingLogins> guard = new ArrayList<>();
    RPC.Server server = serve(4, Duration.ofMillis(200), guard);
    ClientProtocol known = client(server);
    call(known);
    Socket stranger = stranger(server);
    stranger.setSoTimeout(10);

    stranger
        .getOutputStream()
        .write(new byte[] {'h', 'r', 'p', 'c', 9, 0, (byte) 0xdf, 0, 1, 0, 0});
    boolean open = true;
    while (open) {
      guard.get(0).closeLate();
      try {
        stranger.getOutputStream().write(0);
        open = stranger.getInputStream().read() >= 0;
      } catch (SocketTimeoutException e) {
        // It is silent, and has not hung up.
      } catch (IOException e) {
        open = false;
      }
    }

    call(known);
  }

  @Test
  public void shouldLogInAGangThatConnectsAtOnce() throws Exception {
    List<PendingLogins> guard = new ArrayList<>();
    RPC.Server server = serve(4, Duration.ofHours(1), guard);
    List<CompletableFuture<Boolean>> gang = new ArrayList<>();

    for (int i = 0; i < 40; i++) {
      ClientProtocol each = client(server);
      gang.add(ServedJob.inBackground(() -> served(each)));
    }

    for (CompletableFuture<Boolean> each : gang) {
      assertTrue(each.get());
    }
  }

  /** As an executor does: who finds no room tries again. */
  private static boolean served(ClientProtocol caller) {
    for (int attempt = 0; attempt < 20; attempt++) {
      try {
        call(caller);
        return true;
      } catch (ServiceException e) {
        // Once more.
      }
    }
    return false;
  }

  @Test
  public void shouldAskNobodyForTheNameOfACaller() throws Exception {
    List<PendingLogins> guard = new ArrayList<>();
    RPC.Server server = serve(4, Duration.ofHours(1), guard);

    stranger(server);
    while (guard.get(0).pendingCount() == 0) {
      Thread.onSpinWait();
    }

    for (Server.Connection each : guard.get(0)) {
      assertEquals("127.0.0.1", each.getHostInetAddress().getHostName());
    }
  }

  @Test
  public void shouldTakeTheLongestMessagesOfAnExecutorAndNoLongerOnes() throws Exception {
    try (ServedJob served =
        new ServedJob(job().workers(1).spec(), new ServedJob.SetClock(), folder.getRoot())) {
      served.server.expect(WORKER);
      ExitedRequest.Builder exit =
          ExitedRequest.newBuilder()
              .setTask(wire(WORKER))
              .setExitCode(1)
              .setStderrTail("中".repeat(ReportLimits.MAX_STDERR_CHARS))
              .setExecutorMessage("中".repeat(ReportLimits.MAX_MESSAGE_CHARS))
              .setOutputsLeftOut("中".repeat(ReportLimits.MAX_MESSAGE_CHARS))
              .setProgress("中".repeat(ReportLimits.MAX_PROGRESS_CHARS))
              .setHangLocation("中".repeat(ReportLimits.MAX_HANG_LOCATION_CHARS));
      exit.addOutputsBuilder()
          .setKey("outputs")
          .setValue(
              "中".repeat(ReportLimits.MAX_OUTPUTS_CHARS + ReportLimits.MAX_MODEL_PARAMETERS_CHARS));
      HeartbeatRequest.Builder beat = HeartbeatRequest.newBuilder().setTask(wire(WORKER));
      beat.setProgress("中".repeat(ReportLimits.MAX_PROGRESS_CHARS));
      beat.getHoldBuilder()
          .setExitCode(1)
          .setForMs(1)
          .setStderrTail("中".repeat(ReportLimits.MAX_STDERR_CHARS))
          .setExecutorMessage("中".repeat(ReportLimits.MAX_MESSAGE_CHARS));
      beat.getStacksBuilder()
          .setQuestion(1)
          .setPlace("中".repeat(ReportLimits.MAX_HANG_LOCATION_CHARS))
          .setText("中".repeat(ReportLimits.MAX_STACKS_CHARS))
          .setProblem("中".repeat(ReportLimits.MAX_MESSAGE_CHARS));
      TaskProtocol executor = served.executor();
      executor.heartbeat(null, beat.build());
      executor.exited(null, exit.build());

      boolean taken = true;
      try {
        executor.exited(
            null, exit.setStderrTail("x".repeat(ReportLimits.MAX_MESSAGE_BYTES)).build());
      } catch (ServiceException e) {
        taken = false;
      }

      assertFalse(taken);
      executor.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
    }
  }

  @Test
  public void shouldLeaveTheStrangersFarLessThanTheHeap() {
    long most = (long) RpcPort.maxPending() * ReportLimits.MAX_MESSAGE_BYTES;
    assertTrue(most <= Math.max(8 << 20, Runtime.getRuntime().maxMemory() / 8));
    assertTrue(RpcPort.maxPending() <= RpcPort.MAX_PENDING);
  }
}
