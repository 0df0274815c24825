package io.tony.am.rpc;

import static io.tony.am.rpc.ServedJob.wire;
import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertTrue;

import io.tony.am.machine.Event;
import io.tony.executor.rpc.RawCalls;
import io.tony.fuzz.Fuzz;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.CheckpointOutcome;
import io.tony.protocol.proto.TonyProtos.CloseRequest;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.OpenRequest;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.StackReport;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.StopRequest;
import io.tony.protocol.proto.TonyProtos.Window;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A program that has its executor's key, and sends messages that are nearly right. */
public class HostileMessagesTest {
  private static final TaskKey WORKER = new TaskKey(new TaskId("worker", 0), 1, "container_7");

  /** More than an event of the longest report says, whatever its words for it. */
  private static final int MAX_EVENT =
      ReportLimits.MAX_STDERR_CHARS
          + ReportLimits.MAX_OUTPUTS_CHARS
          + ReportLimits.MAX_MODEL_PARAMETERS_CHARS
          + 10 * ReportLimits.MAX_MESSAGE_CHARS
          + 4 * 1024 * 1024 / 1024;

  /** The first line is the method, the rest its message. */
  private static final List<byte[]> OF_EXECUTORS =
      List.of(
          call(
              "register",
              RegisterRequest.newBuilder()
                  .setTask(wire(WORKER))
                  .setHost("node-1")
                  .setPort(7001)
                  .setTensorboardPort(6006)
                  .setPid(4_242)
                  .setTensorboardListens(true)
                  .setLastHeartbeat(HeartbeatResponse.newBuilder().setEvents(3).setMasterAttempt(1))
                  .build()),
          call("started", StartedRequest.newBuilder().setTask(wire(WORKER)).setPid(300).build()),
          call("heartbeat", heartbeat()),
          call("exited", exit()),
          call(
              "put",
              PutRequest.newBuilder()
                  .setTunnel(1)
                  .setTask(wire(WORKER))
                  .setChunk(
                      io.tony.protocol.proto.TonyProtos.Chunk.newBuilder()
                          .setNumber(1)
                          .setData(ByteString.copyFromUtf8("data"))
                          .setWindow(Window.newBuilder().setRows(1).setColumns(2))
                          .setEnd(true)
                          .setExitCode(1)
                          .setProblem("none"))
                  .build()));

  private static final List<byte[]> OF_CLIENTS =
      List.of(
          call("unwatched", Empty.getDefaultInstance()),
          call("stop", StopRequest.newBuilder().setWho("ada").build()),
          call(
              "open",
              OpenRequest.newBuilder()
                  .setRole("worker")
                  .setIndex(0)
                  .setWho("ada")
                  .setShell(
                      Shell.newBuilder()
                          .setCommand("ls")
                          .setTerminal("xterm")
                          .setWindow(Window.newBuilder().setRows(-1).setColumns(1 << 30)))
                  .build()),
          call("close", CloseRequest.newBuilder().setTunnel(1).build()));

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

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

  private static Message heartbeat() {
    return HeartbeatRequest.newBuilder()
        .setTask(wire(WORKER))
        .setProgress("1/2")
        .setTensorboardListens(true)
        .setSample(
            Sample.newBuilder()
                .setMemoryMib(1)
                .setPeakMib(2)
                .setExecutorMib(3)
                .setCores(0.5)
                .setSpanMs(1_000)
                .setGpuPercent(50)
                .setGpuMemoryMib(9))
        .setTokensVersion(1)
        .setHangLocation("read (a.py:1)")
        .addCheckpoints(
            CheckpointOutcome.newBuilder()
                .setSet("a-1")
                .setStep(true)
                .setBytes(5)
                .setTookMs(6)
                .setNamedMs(7)
                .setProblem("none")
                .setPath("out/1")
                .setUri("hdfs://c/1")
                .setAskedMs(8))
        .setStacks(StackReport.newBuilder().setQuestion(1).setPlace("read").setText("all"))
        .build();
  }

  private static Message exit() {
    return ExitedRequest.newBuilder()
        .setTask(wire(WORKER))
        .setExitCode(1)
        .setStderrTail("Traceback")
        .addOutputs(Entry.newBuilder().setKey("model").setValue("hdfs://c/m"))
        .setExecutorMessage("it hangs")
        .setTimedOut(true)
        .setPortTaken(true)
        .setOutputsLeftOut("one")
        .setProgress("2/2")
        .setHangLocation("")
        .setEndedMs(9)
        .setByItself(true)
        .setPreflightFailed(false)
        .setCheckpointUnusable(true)
        .build();
  }

  private static byte[] call(String method, Message message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes((method + "\n").getBytes(StandardCharsets.UTF_8));
    bytes.writeBytes(message.toByteArray());
    return bytes.toByteArray();
  }

  /** One connection, and another where it was closed. */
  private final class Caller implements AutoCloseable {
    private final TonyToken.Audience audience;
    private final String protocol;
    private RawCalls calls;

    Caller(TonyToken.Audience audience, String protocol) {
      this.audience = audience;
      this.protocol = protocol;
    }

    void call(byte[] input) throws IOException, InterruptedException {
      int line = 0;
      while (line < input.length && input[line] != '\n') {
        line++;
      }
      String method = new String(input, 0, line, StandardCharsets.UTF_8);
      if (List.of("awaitCommand", "take", "watch", "stacks", "renew", "leave").contains(method)) {
        return; // they wait
      }
      if (calls == null || calls.isBroken()) {
        Token<TonyToken> token = served.key.token(audience);
        calls =
            new RawCalls(
                served.server.address(), token.getIdentifier(), token.getPassword(), protocol);
      }
      try {
        calls.call(
            method, Arrays.copyOfRange(input, Math.min(line + 1, input.length), input.length));
      } catch (IOException e) {
        // It is refused, or the connection is.
      }
    }

    @Override
    public void close() {
      if (calls != null) {
        calls.close();
      }
    }
  }

  /** A good executor is served, and all that was believed is within limits. */
  private void assertServed(TaskProtocol executor, String progress) throws Exception {
    executor.heartbeat(
        null, HeartbeatRequest.newBuilder().setTask(wire(WORKER)).setProgress(progress).build());
    Event event = served.event();
    while (!(event instanceof Event.TaskProgressed progressed)
        || !progressed.text().equals(progress)) {
      assertTrue(event.toString(), event.toString().length() < MAX_EVENT);
      event = served.event();
    }
  }

  private void attack(String corpus, List<byte[]> valid, Caller caller) throws Exception {
    TaskProtocol executor = served.executor();
    int[] count = {0};
    try (caller) {
      new Fuzz(corpus, valid)
          .run(
              2_000,
              input -> {
                caller.call(input);
                if (count[0]++ % 20 == 0) {
                  assertServed(executor, "good " + count[0]);
                }
              });
    }
    assertServed(executor, "good at the end");
  }

  @Test
  public void shouldServeAGoodExecutorAfterAnyMessageOfOneWithTheKey() throws Exception {
    attack(
        "rpc",
        OF_EXECUTORS,
        new Caller(TonyToken.Audience.EXECUTOR, "io.tony.protocol.TaskProtocol"));
  }

  @Test
  public void shouldServeAGoodExecutorAfterAnyMessageOfAClient() throws Exception {
    attack(
        "rpc",
        OF_CLIENTS,
        new Caller(TonyToken.Audience.CLIENT, "io.tony.protocol.ClientProtocol"));
  }

  @Test
  public void shouldCutTheNameOfWhoStopsAJob() throws Exception {
    served.client().stop(null, StopRequest.newBuilder().setWho("a".repeat(100_000)).build());

    Event.StopRequested stop = (Event.StopRequested) served.event();
    assertTrue(stop.toString(), stop.toString().length() < 1_000);
  }
}
