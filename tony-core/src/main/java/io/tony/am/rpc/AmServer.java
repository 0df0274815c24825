package io.tony.am.rpc;

import io.tony.am.http.NoFreePortException;
import io.tony.am.loop.EventSink;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Event;
import io.tony.am.machine.TaskPort;
import io.tony.am.page.EventSource;
import io.tony.am.usage.Metrics;
import io.tony.eventlog.EventLog;
import io.tony.model.JobLimits;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Start;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.ipc.RPC;

/**
 * Serves the task and the client protocol on one port, to holders of the job's tokens only. Waiting
 * callers hold no thread of it. Executors are told what to do only when the facts that it follows
 * from are in the log, so that a later ApplicationMaster knows of whatever anybody was told.
 */
public final class AmServer implements TaskPort, AutoCloseable {
  /**
   * What executors are given.
   *
   * @param limits how often they must be heard of
   * @param startMessages with what their programs start
   * @param tokens takes what clients bring, and has what executors are to be given
   * @param shellsAllowed whether they may open shells
   */
  public record ExecutorConfig(
      JobLimits limits, StartMessages startMessages, TokenUpdates tokens, boolean shellsAllowed) {}

  private static final long LOGIN_CHECK_MS = 1_000;

  /** In Hadoop's count of open connections by user, which is a JSON object. */
  private static final Pattern CLIENT_CONNECTIONS =
      Pattern.compile(
          Pattern.quote('"' + TonyToken.userOf(TonyToken.Audience.CLIENT) + '"') + ":(\\d+)");

  private final ScheduledThreadPoolExecutor scheduler =
      Spawner.SYSTEM.newScheduler("rpc-patience", 1);

  /** Of its own: the heartbeats are checked meanwhile. */
  private final ExecutorService startWriter =
      Spawner.SYSTEM.newSingleThreadExecutor("start-writer");

  private final Mailboxes mailboxes;
  private final Heartbeats heartbeats;
  private final Tunnels tunnels;
  private final EventFeed feed;
  private final CountDownLatch released = new CountDownLatch(1);
  private final StartMessages startMessages;
  private final EventSink sink;
  private final int checkpointSignal;
  private final RPC.Server server;
  private final List<ScheduledFuture<?>> checks;

  /**
   * Serves at once, on a port that is bound already.
   *
   * @param log what it records, and with it what clients are told: what earlier ApplicationMasters
   *     wrote, and then each line as soon as it is written
   * @param sink takes what executors and clients say
   * @param steady measures how long executors and clients are silent
   */
  public AmServer(
      RpcPort.BoundPort port,
      ExecutorConfig executorConfig,
      EventLog log,
      EventSink sink,
      Metrics metrics,
      InstantSource clock,
      InstantSource steady)
      throws IOException {
    scheduler.setRemoveOnCancelPolicy(
        true); // most calls are answered long before their patience ends
    startMessages = executorConfig.startMessages();
    JobLimits limits = executorConfig.limits();
    this.sink = sink;
    checkpointSignal = limits.checkpointRequests().signal().number();
    heartbeats = new Heartbeats(limits, clock, steady, sink);
    mailboxes =
        new Mailboxes(
            scheduler,
            startWriter,
            limits.heartbeatInterval().multipliedBy(limits.maxMissedHeartbeats()));
    StackRequests stacks = new StackRequests(scheduler, clock, heartbeats, mailboxes);
    tunnels =
        new Tunnels(
            executorConfig.shellsAllowed(), scheduler, clock, steady, heartbeats, mailboxes, sink);
    feed = new EventFeed(scheduler, log, sink, clock, steady, new RecentLines());
    log.start(feed::append);
    EndpointServices services =
        new EndpointServices(sink, clock, feed, executorConfig.tokens(), stacks, tunnels);
    server =
        port.serve(
            new TaskEndpoint(
                services, mailboxes, heartbeats, metrics, startMessages.checkpoints()),
            new ClientEndpoint(services, released, this::clientConnections));
    long interval = limits.heartbeatInterval().toMillis();
    checks =
        List.of(
            scheduleEvery(interval, heartbeats::check),
            scheduleEvery(Tunnels.CHECK_INTERVAL_MS, tunnels::closeSilent),
            scheduleEvery(EventFeed.CHECK_INTERVAL_MS, feed::checkWatched),
            scheduleEvery(LOGIN_CHECK_MS, port::closeLateLogins));
  }

  private ScheduledFuture<?> scheduleEvery(long millis, Runnable check) {
    return scheduler.scheduleWithFixedDelay(check, millis, millis, TimeUnit.MILLISECONDS);
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

  /** What has become of the job so far, for those who look on. */
  public EventSource events() {
    return feed;
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
    mailboxes.start(
        start.key(), () -> AwaitResponse.newBuilder().setStart(startMessage(start)).build());
  }

  /** What a framework's runtime cannot write would keep the gang waiting for ever. */
  private Start startMessage(StartTask start) {
    try {
      return startMessages.of(start);
    } catch (NoFreePortException e) {
      sink.reportDefect(e);
      throw e;
    } catch (RuntimeException | Error e) {
      sink.reportDefect(
          new IllegalStateException(
              "the environment of " + start.key().task() + " cannot be made: " + e, e));
      throw e;
    }
  }

  @Override
  public void restart(TaskKey to, String reason, boolean stacks) {
    heartbeats.noteRestart(to);
    mailboxes.restart(to, reason, stacks);
  }

  @Override
  public void requestCheckpoint(TaskKey key, Instant at) {
    mailboxes.askForCheckpoint(
        key,
        AskForCheckpoint.newBuilder()
            .setAskedMs(at.toEpochMilli())
            .setSignal(checkpointSignal)
            .build());
  }

  @Override
  public void openShell(long tunnel) {
    tunnels.openShell(tunnel);
  }

  @Override
  public void refuseShell(long tunnel, String why) {
    tunnels.refuseShell(tunnel, why);
  }

  @Override
  public void stop(TaskKey key, String reason, boolean stacks) {
    mailboxes.stop(key.container(), reason, stacks);
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
  public void markPublished() {
    heartbeats.markPublished();
  }

  /**
   * Takes what happens to containers, for the loop: what is to be told to an executor, or expected
   * of it, ends with its container.
   */
  public EventSink containerEventSink() {
    return new EventSink() {
      @Override
      public void offer(Event event) {
        sink.offer(event);
        // Then only: told to stop, the executor tells of its program's end, which is not the cause.
        if (event instanceof Event.ContainerEnded ended) {
          forget(ended.key().container());
        }
      }

      @Override
      public void reportDefect(Throwable defect) {
        sink.reportDefect(defect);
      }
    };
  }

  /**
   * The container has ended: nothing is to be told to its executor, or expected of it, any more.
   */
  public void forget(String container) {
    heartbeats.forget(container);
    mailboxes.forget(container);
    tunnels.closeOfContainer(container);
  }

  /** How many executors there are to be told something. */
  int mailboxCount() {
    return mailboxes.size();
  }

  /** Tells the watchers that there is nothing more to come; the log is closed by then. */
  public void finish() {
    tunnels.closeAll();
    feed.finish();
  }

  /** True while an executor or a client is connected. */
  public boolean connected() {
    return server.getNumOpenConnections() > 0;
  }

  /** How many connections clients have open; empty where Hadoop's server does not count them. */
  private OptionalInt clientConnections() {
    Matcher count = CLIENT_CONNECTIONS.matcher(server.getNumOpenConnectionsPerUser());
    return count.find() ? OptionalInt.of(Integer.parseInt(count.group(1))) : OptionalInt.empty();
  }

  /** Waits for the client that stopped the job to have YARN kill it; false when it did not come. */
  public boolean awaitRelease(Duration timeout) throws InterruptedException {
    return released.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    checks.forEach(check -> check.cancel(false));
    server.stop();
    scheduler.shutdownNow();
    feed.close();
    startWriter.shutdownNow();
  }
}
