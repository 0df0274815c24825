package io.tony.am.rpc;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Event;
import io.tony.am.machine.TaskPort;
import io.tony.am.usage.Metrics;
import io.tony.eventlog.EventLog;
import io.tony.model.JobLimits;
import io.tony.model.NoFreePort;
import io.tony.model.PortRange;
import io.tony.model.TaskKey;
import io.tony.protocol.ClientProtocol;
import io.tony.protocol.JobKey;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.ClientService;
import io.tony.protocol.proto.TonyProtos.Start;
import io.tony.protocol.proto.TonyProtos.TaskService;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.thirdparty.protobuf.BlockingService;

/**
 * Serves the task and the client protocol on one port, to holders of the job's tokens only. Waiting
 * callers hold no thread of it. Executors are told what to do only when the facts that it follows
 * from are in the log, so that a later ApplicationMaster knows of whatever anybody was told.
 */
public final class AmServer implements TaskPort, AutoCloseable {
  /** For any number of tasks: no call keeps its handler while it waits. */
  public static final int HANDLERS = 4;

  /** Where Hadoop's server reads its range of ports from; no option of a job. */
  private static final String PORTS = "io.tony.am.rpc.ports";

  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(1, task -> daemon(task, "rpc-patience"));

  /** Of its own: the heartbeats are checked meanwhile. */
  private final ExecutorService startWriter =
      Executors.newSingleThreadExecutor(task -> daemon(task, "start-writer"));

  private final Mailboxes mailboxes;
  private final Heartbeats heartbeats;
  private final EventFeed feed;
  private final CountDownLatch released = new CountDownLatch(1);
  private final StartMessages startMessages;
  private final EventSink sink;
  private final RPC.Server server;
  private final ScheduledFuture<?> heartbeatCheck;

  /**
   * Serves at once, on a port that is free.
   *
   * @param ports of which it takes one
   * @param handlers how many calls are taken at the same time; one alone takes them in their order
   * @param tokens takes what clients bring, and has what executors are to be given
   * @param steady measures how long executors are silent
   * @param log what it records, and with it what clients are told: what earlier ApplicationMasters
   *     wrote, and then each line as soon as it is written
   */
  public AmServer(
      Configuration conf,
      String host,
      PortRange ports,
      int handlers,
      JobKey jobKey,
      JobLimits limits,
      StartMessages startMessages,
      EventLog log,
      EventSink sink,
      Metrics metrics,
      NewerTokens tokens,
      InstantSource clock,
      InstantSource steady)
      throws IOException {
    scheduler.setRemoveOnCancelPolicy(
        true); // most calls are answered long before their patience ends
    this.startMessages = startMessages;
    this.sink = sink;
    heartbeats = new Heartbeats(limits, clock, steady, sink);
    mailboxes =
        new Mailboxes(
            scheduler,
            startWriter,
            limits.heartbeatInterval().multipliedBy(limits.maxMissedHeartbeats()));
    feed = new EventFeed(scheduler, log, sink, clock, new RecentLines());
    log.start(feed::append);
    Configuration own = new Configuration(conf);
    // Only tokens are accepted, whatever the cluster itself authenticates with.
    own.set(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, AuthMethod.TOKEN.toString());
    own.setBoolean(CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHORIZATION, false);
    RPC.setProtocolEngine(own, TaskProtocol.class, ProtobufRpcEngine2.class);
    RPC.setProtocolEngine(own, ClientProtocol.class, ProtobufRpcEngine2.class);
    BlockingService tasks =
        TaskService.newReflectiveBlockingService(
            new TaskEndpoint(sink, clock, mailboxes, heartbeats, metrics, feed, tokens));
    BlockingService clients =
        ClientService.newReflectiveBlockingService(
            new ClientEndpoint(sink, clock, feed, released, tokens));
    RPC.Builder builder =
        new RPC.Builder(own)
            .setProtocol(TaskProtocol.class)
            .setInstance(tasks)
            .setBindAddress(host)
            .setPort(0)
            .setNumHandlers(handlers)
            .setSecretManager(jobKey);
    if (!ports.isAny()) {
      own.set(PORTS, ports.toString());
      builder.setPortRangeConfig(PORTS);
    }
    server = build(builder, ports, host);
    server.addProtocol(RPC.RpcKind.RPC_PROTOCOL_BUFFER, ClientProtocol.class, clients);
    server.start();
    long interval = limits.heartbeatInterval().toMillis();
    heartbeatCheck =
        scheduler.scheduleWithFixedDelay(
            heartbeats::check, interval, interval, TimeUnit.MILLISECONDS);
  }

  private static RPC.Server build(RPC.Builder builder, PortRange ports, String host)
      throws IOException {
    try {
      return builder.build();
    } catch (BindException e) {
      if (ports.isAny()) {
        throw e;
      }
      throw new NoFreePort(ports, host, "the ApplicationMaster's RPC server", e);
    }
  }

  /**
   * From now on the job is stopped when no client has asked for it for so long; zero for never. A
   * client that waits for news is asking.
   */
  public void watchForClients(Duration limit) {
    if (!limit.isZero()) {
      feed.stopWhenUnwatched(limit);
    }
  }

  /** Where executors and clients connect to. */
  public InetSocketAddress address() {
    return server.getListenerAddress();
  }

  @Override
  public void expect(TaskKey key) {
    mailboxes.expect(key.container());
  }

  @Override
  public void start(StartTask start) {
    mailboxes.start(start.key(), () -> AwaitResponse.newBuilder().setStart(message(start)).build());
  }

  /** What a framework's runtime cannot write would keep the gang waiting for ever. */
  private Start message(StartTask start) {
    try {
      return startMessages.of(start);
    } catch (NoFreePort e) {
      sink.defect(e);
      throw e;
    } catch (RuntimeException | Error e) {
      sink.defect(
          new IllegalStateException(
              "the environment of " + start.key().task() + " cannot be made: " + e, e));
      throw e;
    }
  }

  @Override
  public void restart(TaskKey from, int attempt, String reason) {
    heartbeats.restarted(new TaskKey(from.task(), attempt, from.container()));
    mailboxes.restart(from.container(), attempt, reason);
  }

  @Override
  public void stop(TaskKey key, String reason) {
    mailboxes.stop(key.container(), reason);
  }

  /**
   * Takes executors over from an earlier ApplicationMaster, each as what it is to be. They are
   * missed when they are silent from when they can know where this one is. Those whose process has
   * ended are not to be among them.
   */
  public void adopt(Collection<TaskKey> keys) {
    for (TaskKey key : keys) {
      heartbeats.adopt(key);
      mailboxes.adopt(key);
    }
  }

  /** Executors that were adopted can know where this ApplicationMaster is. */
  public void published() {
    heartbeats.published();
  }

  /**
   * Takes what happens to containers, for the loop: what is to be told to an executor, or expected
   * of it, ends with its container.
   */
  public EventSink ofContainers() {
    return new EventSink() {
      @Override
      public void offer(Event event) {
        if (event instanceof Event.ContainerEnded ended) {
          forget(ended.key().container());
        }
        sink.offer(event);
      }

      @Override
      public void defect(Throwable defect) {
        sink.defect(defect);
      }
    };
  }

  /**
   * The container has ended: nothing is to be told to its executor, or expected of it, any more.
   */
  public void forget(String container) {
    heartbeats.forget(container);
    mailboxes.forget(container);
  }

  /** How many executors there are to be told something. */
  int mailboxes() {
    return mailboxes.size();
  }

  /** Tells the watchers that there is nothing more to come; the log is closed by then. */
  public void finish() {
    feed.finish();
  }

  /** True while an executor or a client is connected. */
  public boolean connected() {
    return server.getNumOpenConnections() > 0;
  }

  /** Waits for the client that stopped the job to have YARN kill it; false when it did not come. */
  public boolean awaitRelease(Duration patience) throws InterruptedException {
    return released.await(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    heartbeatCheck.cancel(false);
    server.stop();
    scheduler.shutdownNow();
    feed.close();
    startWriter.shutdownNow();
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
