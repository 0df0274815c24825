package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.Connections;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * A program that calls the ApplicationMaster itself: with its executor's key, or with bytes that
 * are no call. Another seed: {@code -Dtony.fuzz.seed}.
 */
public class HostileCallsTest {
  private static final long SEED = Long.getLong("tony.fuzz.seed", 20261122L);
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 1, "container_7");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private ServedJob served;

  @Before
  public void serve() throws IOException {
    served = new ServedJob(job().workers(1).spec(), new ServedJob.SetClock(), folder.getRoot());
    served.server.expect(WORKER);
  }

  @After
  public void close() {
    served.close();
  }

  @Test
  public void shouldCutWhatAnExecutorSaysToWhatOneMaySay() throws Exception {
    TaskProtocol program = served.executor();
    String much = "🚀".repeat(40_000);
    ExitedRequest.Builder exit =
        ExitedRequest.newBuilder()
            .setTask(wire(WORKER))
            .setExitCode(1)
            .setStderrTail("x" + much)
            .setExecutorMessage(much)
            .setOutputsLeftOut(much);
    for (int key = 0; key < 28_000; key++) {
      exit.addOutputs(Entry.newBuilder().setKey("k" + key).setValue("v"));
    }

    program.register(
        null,
        RegisterRequest.newBuilder().setTask(wire(WORKER)).setHost(much).setPort(7001).build());
    program.heartbeat(
        null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setProgress(much).build());
    program.exited(null, exit.build());

    Event.TaskRegistered registered = (Event.TaskRegistered) served.event();
    assertEquals(254, registered.endpoint().host().length());
    assertEquals("🚀".repeat(250), ((Event.TaskProgressed) served.event()).text());
    Event.Exit told = ((Event.TaskExited) served.event()).exit();
    assertEquals("x" + "🚀".repeat(8191), told.stderr());
    assertEquals(ReportLimits.MAX_MESSAGE_CHARS, told.executorMessage().length());
    assertEquals(ReportLimits.MAX_MESSAGE_CHARS, told.omittedOutputs().length());
    assertTrue(told.outputs().size() + " outputs", told.outputs().size() < 27_000);
    assertEquals("v", told.outputs().get("k0"));
  }

  @Test
  public void shouldServeAGoodCallerAfterAnyBytes() throws Exception {
    byte[] call = recordedCall();
    Random random = new Random(SEED);
    List<Socket> held = new ArrayList<>();
    try {
      for (int attempt = 0; attempt < 300; attempt++) {
        Socket socket = new Socket();
        socket.connect(address());
        held.add(socket); // one that is open and says no more is no reason either
        send(socket, damaged(call, random, attempt));
        if (attempt % 3 == 0) {
          socket.close();
        }
      }
      TaskProtocol executor = served.executor();
      executor.heartbeat(
          null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setProgress("1/2").build());
    } catch (Exception | AssertionError e) {
      throw new AssertionError("-Dtony.fuzz.seed=" + SEED, e);
    } finally {
      for (Socket socket : held) {
        socket.close();
      }
    }

    assertEquals("1/2", ((Event.TaskProgressed) served.event()).text());
    assertTrue("nothing else was believed", served.noEvent());
  }

  private static void send(Socket socket, byte[] bytes) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      // The server has heard enough.
    }
  }

  /** All of it random, cut off, with bytes that are others, or with more behind it. */
  private static byte[] damaged(byte[] call, Random random, int attempt) {
    byte[] bytes = Arrays.copyOf(call, call.length);
    switch (attempt % 4) {
      case 0 -> {
        bytes = new byte[random.nextInt(2_000)];
        random.nextBytes(bytes);
      }
      case 1 -> bytes = Arrays.copyOf(call, random.nextInt(call.length));
      case 2 -> {
        for (int i = 0; i <= random.nextInt(20); i++) {
          // Behind the first bytes, which say what protocol it is.
          bytes[7 + random.nextInt(bytes.length - 7)] ^= (byte) (1 << random.nextInt(8));
        }
      }
      default -> {
        byte[] more = new byte[1 + random.nextInt(500)];
        random.nextBytes(more);
        bytes = Arrays.copyOf(call, call.length + more.length);
        System.arraycopy(more, 0, bytes, call.length, more.length);
      }
    }
    return bytes;
  }

  private InetSocketAddress address() {
    return new InetSocketAddress(
        InetAddress.getLoopbackAddress(), served.server.address().getPort());
  }

  /** What a good caller sends, up to where the server's answers would decide what follows. */
  private byte[] recordedCall() throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (ServerSocket between = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket server = new Socket()) {
      server.connect(address());
      FutureTask<Void> pass =
          new FutureTask<>(
              () -> {
                try (Socket caller = between.accept()) {
                  start(copy(server.getInputStream(), caller.getOutputStream()));
                  InputStream in = caller.getInputStream();
                  byte[] buffer = new byte[4096];
                  for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    said.write(buffer, 0, n);
                    server.getOutputStream().write(buffer, 0, n);
                  }
                }
                return null;
              });
      start(pass);
      TaskProtocol caller =
          Connections.open(
              TaskProtocol.class,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), between.getLocalPort()),
              served.key.token(TonyToken.Audience.EXECUTOR),
              served.conf);
      caller.heartbeat(null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).build());
      Connections.close(caller);
      pass.get();
    }
    assertTrue("bytes of a call: " + said.size(), said.size() > 100);
    return said.toByteArray();
  }

  private static FutureTask<Void> copy(InputStream in, OutputStream out) {
    return new FutureTask<>(
        () -> {
          in.transferTo(out);
          return null;
        });
  }

  private static void start(FutureTask<?> task) {
    Thread thread = new Thread(task, "between");
    thread.setDaemon(true);
    thread.start();
  }
}
