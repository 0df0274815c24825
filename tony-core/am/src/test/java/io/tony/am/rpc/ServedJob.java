package io.tony.am.rpc;

import io.tony.am.machine.Event;
import io.tony.am.usage.Metrics;
import io.tony.eventlog.EventLog;
import io.tony.model.JobSpec;
import io.tony.model.PortRange;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.Connections;
import io.tony.protocol.JobKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.runtime.Gang;
import io.tony.runtime.StandaloneRuntime;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/**
 * An ApplicationMaster's real server on the loopback, without the loop behind it. One handler takes
 * the calls of a connection in their order: a call is answered when those before it were taken.
 */
public final class ServedJob implements AutoCloseable {
  static final String APPLICATION = "application_1_0001";
  static final String CHECKPOINTS = "hdfs://cluster/checkpoints";

  /** A clock that stands until it is set, or let go. */
  public static final class SetClock implements InstantSource {
    private volatile InstantSource source =
        InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z"));

    @Override
    public Instant instant() {
      return source.instant();
    }

    public void pass(Duration time) {
      source = InstantSource.fixed(instant().plus(time));
    }

    void stop() {
      pass(Duration.ZERO);
    }

    void go() {
      source =
          InstantSource.offset(InstantSource.system(), Duration.between(Instant.now(), instant()));
    }
  }

  /** As whom the ApplicationMaster acts. */
  public final UserGroupInformation own = UserGroupInformation.createRemoteUser("owner");

  public final JobKey key = JobKey.random(APPLICATION);
  final Configuration conf;
  public final AmServer server;
  final Path logFolder;
  public final EventLog log;
  final Metrics metrics;

  /** Part of the writing of a start. */
  volatile UnaryOperator<Gang> stores = UnaryOperator.identity();

  /** Sees each event before it is kept. */
  volatile Consumer<Event> loop = event -> {};

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final List<Object> proxies = new ArrayList<>();

  public ServedJob(JobSpec job, InstantSource clock, File folder) throws IOException {
    this(job, clock, folder, 1, new Configuration());
  }

  /** The same by a later ApplicationMaster of it, which finds what the earlier ones left. */
  ServedJob(JobSpec job, InstantSource clock, File folder, int attempt) throws IOException {
    this(job, clock, folder, attempt, new Configuration());
  }

  /** The same where the cluster is configured in another way. */
  ServedJob(JobSpec job, InstantSource clock, File folder, int attempt, Configuration conf)
      throws IOException {
    this(job, clock, folder, attempt, conf, PortRange.ANY);
  }

  /** The same where only some ports may be used. */
  ServedJob(
      JobSpec job,
      InstantSource clock,
      File folder,
      int attempt,
      Configuration conf,
      PortRange ports)
      throws IOException {
    this(job, clock, folder, attempt, conf, ports, true);
  }

  /** The same for a job in whose containers nobody opens shells. */
  static ServedJob withoutShells(JobSpec job, File folder) throws IOException {
    return new ServedJob(
        job, InstantSource.system(), folder, 1, new Configuration(), PortRange.ANY, false);
  }

  private ServedJob(
      JobSpec job,
      InstantSource clock,
      File folder,
      int attempt,
      Configuration conf,
      PortRange ports,
      boolean shells)
      throws IOException {
    this.conf = conf;
    FileSystem fs = FileSystem.getLocal(conf).getRawFileSystem();
    logFolder = EventLog.folder(new Path(folder.toURI()), APPLICATION);
    log = EventLog.create(fs, logFolder, attempt, clock, () -> {});
    metrics = new Metrics(job, clock);
    server =
        new AmServer(
            new RpcPort(conf, "127.0.0.1", ports, 1, key).bind(),
            new AmServer.ServerConfig(
                job.limits(),
                new StartMessages(
                    job,
                    new StandaloneRuntime(),
                    gang -> stores.apply(gang),
                    APPLICATION,
                    CHECKPOINTS,
                    false,
                    10,
                    new AllKeepers()),
                new TokenUpdates(own),
                shells),
            log,
            this::take,
            metrics,
            clock,
            clock);
  }

  private void take(Event event) {
    loop.accept(event);
    events.add(event);
  }

  public TaskProtocol executor() throws IOException {
    return executor(key.token(TonyToken.Audience.EXECUTOR));
  }

  TaskProtocol executor(Token<TonyToken> token) throws IOException {
    return kept(Connections.open(TaskProtocol.class, server.address(), token, conf));
  }

  ClientProtocol client() throws IOException {
    return client(key.token(TonyToken.Audience.CLIENT));
  }

  ClientProtocol client(Token<TonyToken> token) throws IOException {
    return kept(Connections.open(ClientProtocol.class, server.address(), token, conf));
  }

  private <T> T kept(T proxy) {
    proxies.add(proxy);
    return proxy;
  }

  /** The next event that the loop is given; the test's limit ends the wait for one. */
  public Event event() throws InterruptedException {
    return events.take();
  }

  /** Waits until executors can be told what the server was given: that comes behind the log. */
  void awaitLog() throws InterruptedException {
    CountDownLatch written = new CountDownLatch(1);
    log.runWhenDurable(written::countDown);
    written.await();
  }

  boolean noEvent() {
    return events.isEmpty();
  }

  public static TonyProtos.TaskKey wire(TaskKey key) {
    return TonyProtos.TaskKey.newBuilder()
        .setRole(key.task().role())
        .setIndex(key.task().index())
        .setAttempt(key.attempt())
        .setContainer(key.container())
        .build();
  }

  static AwaitRequest await(TaskKey key) {
    return AwaitRequest.newBuilder().setTask(wire(key)).build();
  }

  static AwaitRequest awaitStop(TaskKey key) {
    return AwaitRequest.newBuilder().setTask(wire(key)).setStarted(true).build();
  }

  /** A call made by a thread of its own, whose answer is awaited. */
  public static <T> CompletableFuture<T> inBackground(Callable<T> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                answer.complete(call.call());
              } catch (Exception e) {
                answer.completeExceptionally(e);
              }
            },
            "caller");
    thread.setDaemon(true);
    thread.start();
    return answer;
  }

  @Override
  public void close() {
    proxies.forEach(Connections::close);
    server.close();
    log.close();
  }
}
