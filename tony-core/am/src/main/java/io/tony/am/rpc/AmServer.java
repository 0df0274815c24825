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
 * Serves the protocols of executors and of clients on one port, only to holders of the job's
 * tokens. Held calls occupy no thread. An executor gets a command only after the events that caused
 * the command are in the event log, so that a later ApplicationMaster knows everything that was
 * sent.
 */
public final class AmServer implements TaskPort, AutoCloseable {
  /**
   * What the server needs to know to answer executors and clients.
   *
   * @param limits the job's time limits, for heartbeats and checkpoint requests
   * @param startMessages creates the messages that start the user's programs
   * @param tokens newest delegation tokens that a client has sent, for executors
   * @param shellsAllowed whether clients may open shells in containers
   */
  public record ServerConfig(
      JobLimits limits, StartMessages startMessages, TokenUpdates tokens, boolean shellsAllowed) {}

  private static final long LOGIN_CHECK_MS = 1_000;

  /**
   * Matches the client user's number of connections in the JSON object in which Hadoop's server
   * counts open connections per user.
   */
  private static final Pattern CLIENT_CONNECTIONS =
      Pattern.compile(
          Pattern.quote('"' + TonyToken.userOf(TonyToken.Audience.CLIENT) + '"') + ":(\\d+)");

  private final ScheduledThreadPoolExecutor scheduler =
      Spawner.SYSTEM.newScheduler("rpc-timeouts", 1);

  /**
   * Writes start messages. Separate from {@code scheduler}, so that heartbeats are checked in the
   * meantime.
   */
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
   * Creates the server and starts serving.
   *
   * @param port bound port
   * @param log event log, whose lines clients get: first those of earlier ApplicationMasters, then
   *     each new line as soon as it is written
   * @param sink gets the reports of executors and the requests of clients, as events
   * @param steady measures the silence of executors and clients; must be monotonic
   */
  public AmServer(
      RpcPort.BoundPort port,
      ServerConfig config,
      EventLog log,
      EventSink sink,
      Metrics metrics,
      InstantSource clock,
      InstantSource steady)
      throws IOException {
    // Do not keep timeouts in the queue after they are cancelled: most calls are answered long
    // before.
    scheduler.setRemoveOnCancelPolicy(true);
    startMessages = config.startMessages();
    JobLimits limits = config.limits();
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
        new Tunnels(config.shellsAllowed(), scheduler, clock, steady, heartbeats, mailboxes, sink);
    feed = new EventFeed(scheduler, log, sink, clock, steady, new RecentLines());
    log.start(feed::append);
    EndpointServices services =
        new EndpointServices(sink, clock, feed, config.tokens(), stacks, tunnels);
    server =
        port.serve(
            new TaskEndpoint(services, mailboxes, heartbeats, metrics, startMessages.checkpoints()),
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
   * From now on, stops the job when no client has asked for new events for longer than {@code
   * limit}; zero means no limit. A client whose call still waits for an answer counts as asking;
   * other calls of clients do not count.
   */
  public void watchForClients(Duration limit) {
    if (!limit.isZero()) {
      feed.stopWhenUnwatched(limit);
    }
  }

  /** Returns the job's events that have been recorded so far. */
  public EventSource events() {
    return feed;
  }

  /** Returns the address to which executors and clients connect. */
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

  /**
   * Creates the start message. If that fails, reports a defect, which ends the event loop;
   * otherwise the gang would wait for the message forever.
   */
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
    mailboxes.requestCheckpoint(
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
   * Takes over executors that an earlier ApplicationMaster started, each with its current task
   * attempt. Their silence counts only from {@link #markPublished} on. Executors whose container
   * has ended must not be passed.
   */
  public void adopt(Collection<TaskKey> keys) {
    for (TaskKey key : keys) {
      heartbeats.adopt(key);
      mailboxes.adopt(key);
    }
  }

  /**
   * Records that this ApplicationMaster's address is published, so that executors of an earlier
   * ApplicationMaster can find it.
   */
  public void markPublished() {
    heartbeats.markPublished();
  }

  /**
   * Returns a sink for the scheduler's events. It passes them to the loop, and forgets an executor
   * when its container ends.
   */
  public EventSink containerEventSink() {
    return new EventSink() {
      @Override
      public void offer(Event event) {
        sink.offer(event);
        // Forget the executor only after the event was offered: forget() makes the executor stop
        // and report the end of its program, and the loop must not take that report for the cause
        // of the container's end.
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
   * Drops the pending commands, heartbeats and tunnels of the executor in a container that has
   * ended.
   */
  public void forget(String container) {
    heartbeats.forget(container);
    mailboxes.forget(container);
    tunnels.closeOfContainer(container);
  }

  /** Returns the number of executors that have a mailbox. */
  int mailboxCount() {
    return mailboxes.size();
  }

  /**
   * Closes all tunnels and tells clients that there are no more events. Call it only after the
   * event log has been closed.
   */
  public void finish() {
    tunnels.closeAll();
    feed.finish();
  }

  /** Returns true if an executor or a client is connected. */
  public boolean connected() {
    return server.getNumOpenConnections() > 0;
  }

  /**
   * Returns the number of open connections of clients; empty if Hadoop's server does not count
   * them.
   */
  private OptionalInt clientConnections() {
    Matcher count = CLIENT_CONNECTIONS.matcher(server.getNumOpenConnectionsPerUser());
    return count.find() ? OptionalInt.of(Integer.parseInt(count.group(1))) : OptionalInt.empty();
  }

  /**
   * Waits until the client that stopped the job releases this ApplicationMaster: the client then
   * has YARN kill the application. Returns true after the release, false after the timeout.
   */
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
