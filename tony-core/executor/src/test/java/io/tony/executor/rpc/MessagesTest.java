package io.tony.executor.rpc;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskUsage;
import io.tony.protocol.proto.TonyProtos;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AskForStacks;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Restart;
import io.tony.protocol.proto.TonyProtos.Resume;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.Stop;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.protocol.proto.TonyProtos.Tokens;
import io.tony.protocol.proto.TonyProtos.UploadSettings;
import io.tony.protocol.proto.TonyProtos.Window;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.junit.Test;

/** The executor's messages, read and written by what protoc has made of {@code tony.proto}. */
public class MessagesTest {
  private static final TaskKey WORKER = new TaskKey(new TaskId("größer", 1), 130, "container_7");
  private static final TonyProtos.TaskKey WIRE =
      TonyProtos.TaskKey.newBuilder()
          .setRole("größer")
          .setIndex(1)
          .setAttempt(130)
          .setContainer("container_7")
          .build();

  /** Every field that the file declares is set: a new one is not forgotten here. */
  private static void assertComplete(Message message) {
    assertEquals(message.getDescriptorForType().getFields().size(), message.getAllFields().size());
  }

  @Test
  public void shouldWriteARegistration() throws IOException {
    Request request =
        Request.register(
            new TaskRegistration(WORKER, "node-1", 65_535, 4_242, 1L << 40, true),
            new HeartbeatReply(1L << 33, 3, 0, null));

    RegisterRequest expected =
        RegisterRequest.newBuilder()
            .setTask(WIRE)
            .setHost("node-1")
            .setPort(65_535)
            .setTensorboardPort(4_242)
            .setPid(1L << 40)
            .setTensorboardListens(true)
            .setLastHeartbeat(
                HeartbeatResponse.newBuilder().setEvents(1L << 33).setMasterAttempt(3))
            .build();
    assertEquals("register", request.method());
    assertEquals(expected, RegisterRequest.parseFrom(request.message()));
    assertComplete(expected);
  }

  @Test
  public void shouldSayNothingOfAProgramThatDoesNotRun() throws IOException {
    Request request = Request.register(TaskRegistration.of(WORKER, "h", 1, 0), HeartbeatReply.NONE);

    assertEquals(
        RegisterRequest.newBuilder()
            .setTask(WIRE)
            .setHost("h")
            .setPort(1)
            .setTensorboardPort(0)
            .build(),
        RegisterRequest.parseFrom(request.message()));
  }

  @Test
  public void shouldWriteWhatIsAwaitedAndStarted() throws IOException {
    AwaitRequest awaited =
        AwaitRequest.newBuilder()
            .setTask(WIRE)
            .setStarted(true)
            .setAskedMs(1L << 41)
            .setHandledStacks(1L << 42)
            .setHandledTunnel(1L << 43)
            .build();
    assertEquals(
        awaited,
        AwaitRequest.parseFrom(
            Request.awaitCommand(
                    WORKER, true, 1L << 41, new HandledSideCommands(1L << 42, 1L << 43))
                .message()));
    assertComplete(awaited);
    StartedRequest started = StartedRequest.newBuilder().setTask(WIRE).setPid(300).build();
    assertEquals(started, StartedRequest.parseFrom(Request.started(WORKER, 300).message()));
    assertComplete(started);
  }

  @Test
  public void shouldWriteAHeartbeat() throws IOException {
    UsageSample sample = new UsageSample(1, 2, 300, 0.97, 5_000, new TaskUsage.GpuUsage(43, 2_048));
    List<CheckpointOutcome> checkpoints =
        List.of(
            new CheckpointOutcome(
                "a-1",
                true,
                1L << 40,
                1_500,
                1L << 41,
                null,
                "out/größe.pt",
                "hdfs://c/1",
                1L << 40),
            new CheckpointOutcome("a-2", false, 0, 0, 0, "it is a pipe", "out/2", null, 0));
    Request request =
        Request.heartbeat(
            WORKER,
            new Heartbeat(
                "step 7",
                sample,
                true,
                "read (loader.py:14)",
                checkpoints,
                new StackReport(1L << 43, "read (größe.py:1)", "all threads", "no py-spy"),
                new Heartbeat.Hold(
                    ProgramExit.withoutProgram(-3, "it hung"), Duration.ofHours(1_000))),
            9);

    HeartbeatRequest expected =
        HeartbeatRequest.newBuilder()
            .setTask(WIRE)
            .setProgress("step 7")
            .setTensorboardListens(true)
            .setSample(
                TonyProtos.Sample.newBuilder()
                    .setMemoryMib(1)
                    .setPeakMib(2)
                    .setExecutorMib(300)
                    .setCores(0.97)
                    .setSpanMs(5_000)
                    .setGpuPercent(43)
                    .setGpuMemoryMib(2_048))
            .setTokensVersion(9)
            .setHangLocation("read (loader.py:14)")
            .addCheckpoints(
                TonyProtos.CheckpointOutcome.newBuilder()
                    .setSet("a-1")
                    .setStep(true)
                    .setBytes(1L << 40)
                    .setTookMs(1_500)
                    .setNamedMs(1L << 41)
                    .setPath("out/größe.pt")
                    .setUri("hdfs://c/1")
                    .setAskedMs(1L << 40))
            .addCheckpoints(
                TonyProtos.CheckpointOutcome.newBuilder()
                    .setSet("a-2")
                    .setStep(false)
                    .setBytes(0)
                    .setTookMs(0)
                    .setNamedMs(0)
                    .setProblem("it is a pipe")
                    .setPath("out/2"))
            .setStacks(
                TonyProtos.StackReport.newBuilder()
                    .setQuestion(1L << 43)
                    .setPlace("read (größe.py:1)")
                    .setText("all threads")
                    .setProblem("no py-spy"))
            .setHold(
                TonyProtos.ContainerHold.newBuilder()
                    .setExitCode(-3)
                    .setForMs(3_600_000_000L)
                    .setStderrTail("")
                    .setExecutorMessage("it hung"))
            .build();
    assertEquals(expected, HeartbeatRequest.parseFrom(request.message()));
    assertComplete(expected);
    assertComplete(expected.getSample());
    assertComplete(expected.getStacks());
    assertComplete(expected.getHold());
    assertComplete(
        expected.getCheckpoints(0).toBuilder().mergeFrom(expected.getCheckpoints(1)).build());

    HeartbeatRequest without =
        HeartbeatRequest.parseFrom(Request.heartbeat(WORKER, Heartbeat.EMPTY, 0).message());
    assertEquals(HeartbeatRequest.newBuilder().setTask(WIRE).setTokensVersion(0).build(), without);
  }

  private static final TonyProtos.Chunk CHUNK =
      TonyProtos.Chunk.newBuilder()
          .setNumber(1L << 40)
          .setData(ByteString.copyFrom(new byte[] {0, -1, 10}))
          .setWindow(Window.newBuilder().setRows(25).setColumns(300))
          .setEnd(true)
          .setExitCode(-7)
          .setProblem("größe")
          .build();

  @Test
  public void shouldWriteWhatGoesIntoATunnel() throws IOException {
    Chunk chunk =
        new Chunk(
            1L << 40,
            ByteBuffer.wrap(new byte[] {0, -1, 10}),
            new Chunk.Window(25, 300),
            new Chunk.End(-7, "größe"));
    PutRequest put =
        PutRequest.newBuilder().setTunnel(1L << 41).setChunk(CHUNK).setTask(WIRE).build();
    assertEquals(put, PutRequest.parseFrom(Request.put(WORKER, 1L << 41, chunk).message()));
    assertComplete(put);
    assertComplete(CHUNK);
    TakeRequest take =
        TakeRequest.newBuilder().setTunnel(1L << 41).setKnown(1L << 42).setTask(WIRE).build();
    assertEquals(take, TakeRequest.parseFrom(Request.take(WORKER, 1L << 41, 1L << 42).message()));
    assertComplete(take);
    assertEquals(
        PutRequest.newBuilder()
            .setTunnel(5)
            .setChunk(TonyProtos.Chunk.newBuilder().setNumber(6))
            .setTask(WIRE)
            .build(),
        PutRequest.parseFrom(
            Request.put(WORKER, 5, new Chunk(6, ByteBuffer.allocate(0), null, null)).message()));
  }

  @Test
  public void shouldReadWhatComesOutOfATunnel() throws Exception {
    assertTrue(answer(PutResponse.newBuilder().setTaken(true).build()).accepted());
    assertFalse(answer(PutResponse.newBuilder().setTaken(false).build()).accepted());
    TunnelLink.TunnelClosedException closed =
        assertThrows(
            TunnelLink.TunnelClosedException.class,
            () ->
                answer(PutResponse.newBuilder().setTaken(false).setClosed("why").build())
                    .accepted());
    assertEquals("why", closed.getMessage());
    Chunk chunk = answer(TakeResponse.newBuilder().setChunk(CHUNK).build()).chunk();
    assertEquals(1L << 40, chunk.number());
    assertArrayEquals(new byte[] {0, -1, 10}, chunk.bytes());
    assertEquals(new Chunk.Window(25, 300), chunk.window());
    assertEquals(new Chunk.End(-7, "größe"), chunk.end());
    assertNull(answer(TakeResponse.getDefaultInstance()).chunk());
    assertThrows(
        TunnelLink.TunnelClosedException.class,
        () -> answer(TakeResponse.newBuilder().setClosed("why").build()).chunk());
  }

  @Test
  public void shouldWriteAnEnd() throws IOException {
    Map<String, String> outputs = new LinkedHashMap<>();
    outputs.put("a", "");
    outputs.put("b", "x".repeat(20_000));
    ProgramExit exit =
        new ProgramExit(
            -1,
            "no\nmemory",
            outputs,
            "too large",
            "why",
            true,
            true,
            "step 9",
            "read (a:1)",
            1234,
            true,
            true,
            true);
    Request request = Request.exited(WORKER, exit);

    ExitedRequest expected =
        ExitedRequest.newBuilder()
            .setTask(WIRE)
            .setExitCode(-1)
            .setStderrTail("no\nmemory")
            .addOutputs(Entry.newBuilder().setKey("a").setValue(""))
            .addOutputs(Entry.newBuilder().setKey("b").setValue("x".repeat(20_000)))
            .setExecutorMessage("why")
            .setTimedOut(true)
            .setPortTaken(true)
            .setOutputsLeftOut("too large")
            .setProgress("step 9")
            .setHangLocation("read (a:1)")
            .setEndedMs(1234)
            .setByItself(true)
            .setPreflightFailed(true)
            .setCheckpointUnusable(true)
            .build();
    assertEquals(expected, ExitedRequest.parseFrom(request.message()));
    assertComplete(expected);

    ProgramExit unasked = ProgramExit.withoutProgram(1, "");
    assertFalse(
        ExitedRequest.parseFrom(Request.exited(WORKER, unasked).message()).hasHangLocation());
  }

  private static Reply answer(Message message) {
    return new Reply(new WireReader(message.toByteArray()));
  }

  private static ByteString zipped(String text) throws IOException {
    ByteString.Output bytes = ByteString.newOutput();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteString();
  }

  @Test
  public void shouldReadCommands() throws IOException {
    Start start =
        Start.newBuilder()
            .setCommand("python größer.py")
            .addEnvironment(Entry.newBuilder().setKey("TF_CONFIG").setValue("{}".repeat(70_000)))
            .addEnvironment(Entry.newBuilder().setKey("EMPTY").setValue(""))
            .setExecutionTimeoutMs(1L << 35)
            .setClusterSpec(zipped("größe"))
            .setCheckpoints(
                TonyProtos.Checkpoints.newBuilder()
                    .setFolder("hdfs://c/größe/.tony")
                    .setUpload(
                        UploadSettings.newBuilder()
                            .setGeneration("1_2_3")
                            .setCounted(1L << 36)
                            .setTasks(300)
                            .setTraining("ab12")
                            .setApplication("application_1_2")
                            .setMaker("nightly, execution 17"))
                    .setResume(
                        Resume.newBuilder().setSet("1_2_2-7").setTask("worker-0").setNumber(7))
                    .setCopyTimeoutMs(1L << 34))
            .build();
    assertComplete(start);
    assertComplete(start.getCheckpoints());
    assertComplete(start.getCheckpoints().getUpload());
    assertComplete(start.getCheckpoints().getResume());
    assertEquals(
        new ExecutorCommand.Start(
            "python größer.py",
            Map.of("TF_CONFIG", "{}".repeat(70_000), "EMPTY", ""),
            "größe",
            1L << 35,
            new CheckpointPlan(
                "hdfs://c/größe/.tony",
                new CheckpointPlan.Upload(
                    "1_2_3", 1L << 36, 300, "ab12", "application_1_2", "nightly, execution 17"),
                new CheckpointPlan.Resume("1_2_2-7", "worker-0", 7),
                1L << 34)),
        answer(AwaitResponse.newBuilder().setStart(start).build()).command());
    assertEquals(
        new ExecutorCommand.Start("run", Map.of(), "", 0, CheckpointPlan.NONE),
        answer(
                AwaitResponse.newBuilder()
                    .setStart(Start.newBuilder().setCommand("run").setExecutionTimeoutMs(0))
                    .build())
            .command());

    Stop stop = Stop.newBuilder().setReason("over").setStacks(true).build();
    assertComplete(stop);
    assertEquals(
        new ExecutorCommand.Stop("over", true),
        answer(AwaitResponse.newBuilder().setStop(stop).build()).command());

    Restart restart =
        Restart.newBuilder().setIndex(2).setAttempt(4).setReason("again").setStacks(true).build();
    assertComplete(restart);
    assertEquals(
        new ExecutorCommand.Restart(2, 4, "again", true),
        answer(AwaitResponse.newBuilder().setRestart(restart).build()).command());

    AskForCheckpoint ask = AskForCheckpoint.newBuilder().setAskedMs(1L << 41).setSignal(10).build();
    assertComplete(ask);
    assertEquals(
        new ExecutorCommand.AskForCheckpoint(1L << 41, 10),
        answer(AwaitResponse.newBuilder().setAsk(ask).build()).command());

    AskForStacks stacks = AskForStacks.newBuilder().setQuestion(1L << 42).setWhole(true).build();
    assertComplete(stacks);
    assertEquals(
        new ExecutorCommand.AskForStacks(1L << 42, true),
        answer(AwaitResponse.newBuilder().setStacks(stacks).build()).command());

    OpenTunnel tunnel =
        OpenTunnel.newBuilder()
            .setTunnel(1L << 42)
            .setShell(
                Shell.newBuilder()
                    .setCommand("echo größe")
                    .setTerminal("xterm")
                    .setWindow(Window.newBuilder().setRows(25).setColumns(300)))
            .build();
    assertComplete(tunnel);
    assertComplete(tunnel.getShell());
    assertComplete(tunnel.getShell().getWindow());
    assertEquals(
        new ExecutorCommand.OpenTunnel(
            1L << 42, new ExecutorCommand.Shell("echo größe", "xterm", new Chunk.Window(25, 300))),
        answer(AwaitResponse.newBuilder().setTunnel(tunnel).build()).command());
    assertEquals(
        new ExecutorCommand.OpenTunnel(7, null),
        answer(AwaitResponse.newBuilder().setTunnel(OpenTunnel.newBuilder().setTunnel(7)).build())
            .command());

    assertNull(answer(AwaitResponse.getDefaultInstance()).command());
    assertEquals(6, AwaitResponse.getDescriptor().getFields().size());
  }

  @Test
  public void shouldReadWhatAHeartbeatIsAnswered() {
    HeartbeatResponse message =
        HeartbeatResponse.newBuilder()
            .setEvents(1L << 33)
            .setMasterAttempt(2)
            .setTokens(
                Tokens.newBuilder().setVersion(5).setCredentials(ByteString.copyFromUtf8("HDTS")))
            .build();
    assertComplete(message);
    assertComplete(message.getTokens());
    HeartbeatReply told = answer(message).heartbeatReply();

    assertEquals(1L << 33, told.eventCount());
    assertEquals(2, told.masterAttempt());
    assertEquals(5, told.tokensVersion());
    assertArrayEquals("HDTS".getBytes(StandardCharsets.US_ASCII), told.tokens());
    assertNull(answer(HeartbeatResponse.getDefaultInstance()).heartbeatReply().tokens());
  }

  @Test
  public void shouldPassOverWhatALaterVersionSays() throws IOException {
    byte[] message =
        new WireWriter()
            .number(15, 1L << 62)
            .real(16, 0.5)
            .text(17, "later")
            .number(2, 4)
            .signed(18, -1)
            .toBytes();
    assertEquals(4, new Reply(new WireReader(message)).heartbeatReply().masterAttempt());
  }

  @Test
  public void shouldRefuseWhatBreaksOff() {
    byte[] whole =
        AwaitResponse.newBuilder()
            .setStop(Stop.newBuilder().setReason("over"))
            .build()
            .toByteArray();
    for (int length = 1; length < whole.length; length++) {
      Reply broken = new Reply(new WireReader(Arrays.copyOf(whole, length)));
      assertThrows(IllegalStateException.class, broken::command);
    }
  }
}
