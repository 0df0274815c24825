package io.tony.executor;

import io.tony.container.Staging;
import io.tony.model.Endpoint;
import io.tony.model.ProgramSignal;
import io.tony.protocol.JobKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AskForStacks;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.Empty;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutRequest;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.Restart;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.Shell;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import io.tony.protocol.proto.TonyProtos.Stop;
import io.tony.protocol.proto.TonyProtos.TakeRequest;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import io.tony.protocol.proto.TonyProtos.TaskService;
import io.tony.protocol.proto.TonyProtos.Tokens;
import io.tony.protocol.proto.TonyProtos.Window;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * The executors' side of an ApplicationMaster, over Hadoop's RPC on the loopback: it keeps what it
 * is told, and commands what the test says.
 */
public final class ServedMaster implements TaskProtocol, AutoCloseable {
  private static final Empty DONE = Empty.getDefaultInstance();

  private final RPC.Server server;
  private final HeartbeatResponse answer;
  private final BlockingQueue<Message> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<AwaitResponse> takenUp = new LinkedBlockingQueue<>();
  private final AtomicReference<AwaitResponse> handedOver = new AtomicReference<>();
  private final Map<Integer, BlockingQueue<AwaitResponse>> commands = new ConcurrentHashMap<>();
  private final BlockingQueue<Sample> samples = new LinkedBlockingQueue<>();
  private final Semaphore heartbeats = new Semaphore(0);
  private final BlockingQueue<Long> tokenVersions = new LinkedBlockingQueue<>();
  private final BlockingQueue<Chunk> fromTask = new LinkedBlockingQueue<>();
  private final BlockingQueue<TakeResponse> toTask = new LinkedBlockingQueue<>();
  private final AtomicLong sent = new AtomicLong();
  private final Semaphore refusals = new Semaphore(0);
  private volatile boolean refuses;
  private volatile Tokens newest;
  private volatile Duration hold = Duration.ofMillis(500);

  public ServedMaster(JobKey key) throws IOException {
    this(key, "authentication", 0, 1);
  }

  /**
   * One of its own settings.
   *
   * @param protection a value of {@code hadoop.rpc.protection}
   * @param port 0 for any
   * @param number which ApplicationMaster of the job it is, from 1
   */
  public ServedMaster(JobKey key, String protection, int port, int number) throws IOException {
    answer = HeartbeatResponse.newBuilder().setEvents(17).setMasterAttempt(number).build();
    Configuration conf = new Configuration();
    conf.set(CommonConfigurationKeysPublic.HADOOP_RPC_PROTECTION, protection);
    conf.set(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, AuthMethod.TOKEN.toString());
    RPC.setProtocolEngine(conf, TaskProtocol.class, ProtobufRpcEngine2.class);
    server =
        new RPC.Builder(conf)
            .setProtocol(TaskProtocol.class)
            .setInstance(TaskService.newReflectiveBlockingService(this))
            .setBindAddress("127.0.0.1")
            .setPort(port)
            .setNumHandlers(4)
            .setSecretManager(key)
            .build();
    server.start();
  }

  public InetSocketAddress address() {
    return server.getListenerAddress();
  }

  /** What each heartbeat is answered with, but for tokens. */
  public HeartbeatResponse answer() {
    return answer;
  }

  public int connections() {
    return server.getNumOpenConnections();
  }

  /** Leaves its address where executors look for it. */
  public void announce(Staging staging) throws IOException {
    staging.tryPublishAddress(1, new Endpoint("127.0.0.1", address().getPort()));
  }

  // ---- What it is told ----

  @Override
  public Empty register(RpcController controller, RegisterRequest request) throws ServiceException {
    if (refuses) {
      refusals.release();
      throw new ServiceException("the test refuses it");
    }
    told.add(request);
    return DONE;
  }

  @Override
  public Empty started(RpcController controller, StartedRequest request) {
    told.add(request);
    return DONE;
  }

  @Override
  public HeartbeatResponse heartbeat(RpcController controller, HeartbeatRequest request) {
    heartbeats.release();
    if (request.hasSample()) {
      samples.add(request.getSample());
    }
    if (request.hasProgress()
        || request.getTensorboardListens()
        || request.hasHangLocation()
        || request.hasHold()
        || request.hasStacks()
        || request.getCheckpointsCount() > 0) {
      told.add(request);
    }
    Tokens tokens = newest;
    if (tokens != null) {
      tokenVersions.add(request.getTokensVersion());
      if (tokens.getVersion() > request.getTokensVersion()) {
        return answer.toBuilder().setTokens(tokens).build();
      }
    }
    return answer;
  }

  @Override
  public Empty exited(RpcController controller, ExitedRequest request) {
    told.add(request);
    return DONE;
  }

  /** The next thing that it is told; it must be of this type. Heartbeats with news only. */
  public <T extends Message> T next(Class<T> type) throws InterruptedException {
    Message message = told.take();
    if (!type.isInstance(message)) {
      throw new AssertionError("a " + type.getSimpleName() + " was expected, and not " + message);
    }
    return type.cast(message);
  }

  /** The same of any type; null where there is none for that long. */
  public Message next(Duration limit) throws InterruptedException {
    return told.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The next sample that a heartbeat brings. */
  public Sample nextSample() throws InterruptedException {
    return samples.take();
  }

  /** Answers heartbeats with these, until their executor has them. */
  public void handOver(Tokens tokens) throws InterruptedException {
    newest = tokens;
    long version;
    do {
      version = tokenVersions.take();
    } while (version < tokens.getVersion());
  }

  public void refuseRegistrations() {
    refuses = true;
  }

  public void awaitRefusals(int count) throws InterruptedException {
    refusals.acquire(count);
  }

  public boolean toldMore() {
    return !told.isEmpty();
  }

  /**
   * Waits for a heartbeat that comes from now on. An executor makes one report after the other, so
   * that it has the answers to all those before.
   */
  public void awaitHeartbeat() throws InterruptedException {
    heartbeats.drainPermits();
    heartbeats.acquire();
  }

  // ---- What it commands ----

  /** Calls that wait for a command are held so long when none comes. */
  public void hold(Duration limit) {
    hold = limit;
  }

  @Override
  public AwaitResponse awaitCommand(RpcController controller, AwaitRequest request)
      throws ServiceException {
    AwaitResponse before = handedOver.getAndSet(null);
    if (before != null) {
      takenUp.add(before); // an executor that asks for the next command is done with it
    }
    try {
      AwaitResponse command =
          commandsOf(request.getTask().getAttempt()).poll(hold.toMillis(), TimeUnit.MILLISECONDS);
      if (command != null) {
        handedOver.set(command);
      }
      return command == null ? AwaitResponse.getDefaultInstance() : command;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceException("the server is closed", e);
    }
  }

  private BlockingQueue<AwaitResponse> commandsOf(int attempt) {
    return commands.computeIfAbsent(attempt, number -> new LinkedBlockingQueue<>());
  }

  /** {@code environment} holds names and values in turn. */
  public void start(int attempt, String command, String... environment) {
    start(attempt, 0, command, environment);
  }

  public void start(int attempt, long limitMillis, String command, String... environment) {
    Start.Builder start = Start.newBuilder().setCommand(command).setExecutionTimeoutMs(limitMillis);
    for (int i = 0; i < environment.length; i += 2) {
      start.addEnvironment(Entry.newBuilder().setKey(environment[i]).setValue(environment[i + 1]));
    }
    commandsOf(attempt).add(AwaitResponse.newBuilder().setStart(start).build());
  }

  /** With the checkpoints that it keeps, or goes on from. */
  public void start(int attempt, String command, Checkpoints checkpoints) {
    Start.Builder start = Start.newBuilder().setCommand(command).setExecutionTimeoutMs(0);
    commandsOf(attempt)
        .add(AwaitResponse.newBuilder().setStart(start.setCheckpoints(checkpoints)).build());
  }

  /** Waits until the executor has been told of a restart and asks for what comes after it. */
  public void awaitRestartTakenUp() throws InterruptedException {
    awaitTakenUp(AwaitResponse::hasRestart);
  }

  /**
   * The same for a question for a checkpoint, which the program is asked just after that: the
   * thread that asks it makes the heartbeats, too.
   */
  public void awaitAskTakenUp() throws InterruptedException {
    awaitTakenUp(AwaitResponse::hasAsk);
    awaitHeartbeat();
    awaitHeartbeat();
  }

  private void awaitTakenUp(Predicate<AwaitResponse> command) throws InterruptedException {
    while (!command.test(takenUp.take())) {
      // a command before it
    }
  }

  public void stop(int attempt) {
    stop(attempt, false);
  }

  public void stop(int attempt, boolean stacks) {
    Stop.Builder stop = Stop.newBuilder().setReason("test").setStacks(stacks);
    commandsOf(attempt).add(AwaitResponse.newBuilder().setStop(stop).build());
  }

  public void askForCheckpoint(int attempt, long askedMs, ProgramSignal signal) {
    AskForCheckpoint.Builder ask =
        AskForCheckpoint.newBuilder().setAskedMs(askedMs).setSignal(signal.number());
    commandsOf(attempt).add(AwaitResponse.newBuilder().setAsk(ask).build());
  }

  public void restart(int from, int attempt) {
    restart(from, attempt, false);
  }

  /** The executor is to be another task of its role from then on. */
  public void move(int from, int index, int attempt) {
    Restart.Builder restart =
        Restart.newBuilder().setIndex(index).setAttempt(attempt).setReason("test");
    commandsOf(from).add(AwaitResponse.newBuilder().setRestart(restart).build());
  }

  public void restart(int from, int attempt, boolean stacks) {
    Restart.Builder restart =
        Restart.newBuilder().setIndex(0).setAttempt(attempt).setReason("test");
    commandsOf(from).add(AwaitResponse.newBuilder().setRestart(restart.setStacks(stacks)).build());
  }

  /** Asks where the program is, with the whole text of its stacks. */
  public void askForStacks(int attempt, long question) {
    AskForStacks.Builder ask = AskForStacks.newBuilder().setQuestion(question).setWhole(true);
    commandsOf(attempt).add(AwaitResponse.newBuilder().setStacks(ask).build());
  }

  // ---- A tunnel, and its client ----

  public static OpenTunnel shell(Shell.Builder shell) {
    return OpenTunnel.newBuilder().setTunnel(1_700_000_000_000L).setShell(shell).build();
  }

  /** A shell that runs a command, and is at no terminal. */
  public static OpenTunnel running(String command) {
    return shell(Shell.newBuilder().setCommand(command));
  }

  public static Window window(int rows, int columns) {
    return Window.newBuilder().setRows(rows).setColumns(columns).build();
  }

  /** Opens a shell that has processes; gives all, also what has left its process group. */
  public List<Long> openShellWithProcesses() throws InterruptedException {
    open(1, running("setsid sleep 1000 & far=$!; sleep 1000 & echo $$ $far $!.; wait"));
    return Stream.of(hear(".\n").replace(".\n", "").split(" ", -1)).map(Long::valueOf).toList();
  }

  /** Opens a shell in a terminal, and changes the terminal's size; both reach the shell. */
  public void openTerminal() throws InterruptedException {
    open(1, shell(Shell.newBuilder().setTerminal("xterm").setWindow(window(33, 111))));
    send("tty && echo $TERM of $(stty size)\n");
    hear("xterm of 33 111\r\n");
    send(Chunk.newBuilder().setWindow(window(50, 140)));
    send("stty size\n");
    hear("50 140\r\n");
  }

  /** The executor of this attempt is to open it. */
  public void open(int attempt, OpenTunnel tunnel) {
    commandsOf(attempt).add(AwaitResponse.newBuilder().setTunnel(tunnel).build());
  }

  @Override
  public PutResponse put(RpcController controller, PutRequest request) {
    fromTask.add(request.getChunk());
    return PutResponse.newBuilder().setTaken(true).build();
  }

  @Override
  public TakeResponse take(RpcController controller, TakeRequest request) throws ServiceException {
    try {
      TakeResponse next = toTask.poll(hold.toMillis(), TimeUnit.MILLISECONDS);
      return next == null ? TakeResponse.getDefaultInstance() : next;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceException("the server is closed", e);
    }
  }

  /** What the client says next. */
  public void send(Chunk.Builder chunk) {
    toTask.add(TakeResponse.newBuilder().setChunk(chunk.setNumber(sent.incrementAndGet())).build());
  }

  public void send(String text) {
    send(Chunk.newBuilder().setData(ByteString.copyFromUtf8(text)));
  }

  /** The client is gone. */
  public void closeTunnel() {
    toTask.add(TakeResponse.newBuilder().setClosed("its client has closed it").build());
  }

  /** What the task's end says until this is in it. */
  public String hear(String awaited) throws InterruptedException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf(awaited) < 0) {
      Chunk chunk = fromTask.take();
      if (chunk.getEnd()) {
        throw new AssertionError("it ended: " + text + chunk);
      }
      text.append(chunk.getData().toStringUtf8());
    }
    return text.toString();
  }

  /** The last that the task's end says, with all that it says before that as its data. */
  public Chunk hearEnd() throws InterruptedException {
    ByteString data = ByteString.EMPTY;
    Chunk chunk = fromTask.take();
    while (!chunk.getEnd()) {
      data = data.concat(chunk.getData());
      chunk = fromTask.take();
    }
    return chunk.toBuilder().setData(data).build();
  }

  @Override
  public void close() {
    server.stop();
  }
}
