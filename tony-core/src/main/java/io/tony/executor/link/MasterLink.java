package io.tony.executor.link;

import io.tony.clock.AwakeClock;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.HandledSideCommands;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.HeartbeatReply;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.rpc.MasterCalls;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.rpc.Reply;
import io.tony.executor.rpc.Request;
import io.tony.executor.rpc.TaskRegistration;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.TunnelLink;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What an executor says to its ApplicationMaster, and to that one's successor when it is lost: a
 * call that fails is made again until somebody answers it or the ApplicationMaster counts as lost
 * for good. A successor is first told what it may not know: the registration, whether the program
 * and its TensorBoard run, and its end where an earlier one has taken the report and perhaps not
 * kept it. Successors are told apart by their numbers, which are asked for on each new connection:
 * a successor may have the address of the one before. For use by several threads.
 */
public final class MasterLink implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(MasterLink.class);

  /** All executors of a job look for its ApplicationMaster at once: not all the time. */
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  /** {@code number} tells it from those before it. */
  private record Connection(int number, MasterCalls master) {
    String name() {
      InetSocketAddress address = master.address();
      return address.getHostString() + ":" + address.getPort();
    }
  }

  /** The ApplicationMaster is out of reach for good. */
  public static final class MasterLostException extends Exception {
    private static final long serialVersionUID = 1;

    MasterLostException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private final MasterFile file;
  private final JobToken token;
  private final ProgramTokens programTokens;
  private final String protection;
  private final Spawner spawner;
  private final Duration masterLostTimeout;
  private final Duration minPause;
  private volatile Connection connection;

  // What a successor is told; guarded by this.
  private TaskRegistration registration; // null before the first
  private boolean registered; // an ApplicationMaster has taken a registration
  private ProgramExit exit; // of the attempt that is registered, once it is reported
  private HeartbeatReply lastReply =
      HeartbeatReply.NONE; // by the ApplicationMaster that was greeted last
  private long nextLookupNanos = AwakeClock.nanoTime();

  /**
   * A link to the ApplicationMaster that launched this executor.
   *
   * @param token proves who calls
   * @param programTokens are replaced when the ApplicationMaster has newer ones
   * @param file where its successors leave their addresses
   * @param spawner starts the threads of each connection
   */
  public MasterLink(
      ExecutorSettings settings,
      JobToken token,
      ProgramTokens programTokens,
      MasterFile file,
      Spawner spawner) {
    this.spawner = spawner;
    this.file = file;
    this.token = token;
    this.programTokens = programTokens;
    this.protection = settings.rpcProtection();
    this.masterLostTimeout = settings.masterLostTimeout();
    // As rare as heartbeats: those of a large gang all look for a successor in HDFS.
    this.minPause = settings.heartbeatInterval();
    this.connection = connection(0, settings.master());
  }

  private Connection connection(int number, InetSocketAddress address) {
    MasterCalls calls = new MasterCalls(address, token, protection, spawner, this::runHandshake);
    return new Connection(number, calls);
  }

  public void register(TaskRegistration task) throws MasterLostException, InterruptedException {
    synchronized (this) {
      registration = task;
      exit = null;
    }
    callWithRetries(Request.register(task, HeartbeatReply.NONE));
    synchronized (this) {
      registered = true;
    }
  }

  /**
   * Waits for the next command: to start, until {@code started}; to stop or restart, always; to ask
   * for a checkpoint other than the one that is known, once {@code started}; to tell stacks or to
   * open a tunnel, unless it is the known one, always.
   */
  public ExecutorCommand awaitCommand(
      TaskKey key, boolean started, long askedMs, HandledSideCommands handled)
      throws MasterLostException, InterruptedException {
    Request request = Request.awaitCommand(key, started, askedMs, handled);
    ExecutorCommand command = null;
    while (command == null) {
      command = callWithRetries(request).command();
    }
    return command;
  }

  public void reportStart(TaskKey key, long pid) throws MasterLostException, InterruptedException {
    synchronized (this) {
      if (registration.task().equals(key)) {
        registration = registration.withPid(pid);
      }
    }
    callWithRetries(Request.started(key, pid));
  }

  public void sendHeartbeat(TaskKey key, Heartbeat heartbeat)
      throws MasterLostException, InterruptedException {
    synchronized (this) {
      if (heartbeat.tensorBoardListens() && registration.task().equals(key)) {
        registration = registration.withTensorBoard();
      }
    }
    HeartbeatReply reply =
        callWithRetries(Request.heartbeat(key, heartbeat, programTokens.version()))
            .heartbeatReply();
    if (reply.tokens() != null) {
      programTokens.replace(reply.tokens(), reply.tokensVersion());
    }
    synchronized (this) {
      if (reply.masterNumber()
          >= lastReply.masterNumber()) { // else a successor was greeted meanwhile
        lastReply = reply;
      }
    }
  }

  public void reportExit(TaskKey key, ProgramExit programExit)
      throws MasterLostException, InterruptedException {
    synchronized (this) {
      if (registration != null && registration.task().equals(key)) {
        exit = programExit; // a successor may be greeted before the answer is here
      }
    }
    callWithRetries(Request.exited(key, programExit));
  }

  /** The line of a tunnel, which ends with the ApplicationMaster that opened it. */
  public TunnelLink tunnelLink(TaskKey key, long tunnel) {
    MasterCalls master = connection.master();
    return new TunnelLink() {
      @Override
      public boolean put(Chunk chunk)
          throws IOException, TunnelClosedException, InterruptedException {
        return master.call(Request.put(key, tunnel, chunk)).accepted();
      }

      @Override
      public Chunk take(long known)
          throws IOException, TunnelClosedException, InterruptedException {
        return master.call(Request.take(key, tunnel, known)).chunk();
      }
    };
  }

  private Reply callWithRetries(Request request) throws MasterLostException, InterruptedException {
    // From the first failure: until then a call that is held for long has been listened to.
    Long deadline = null;
    long pause = minPause.toMillis();
    boolean retrySameServer = true;
    while (true) {
      Connection used = connection;
      try {
        return used.master().call(request);
      } catch (IOException e) {
        if (deadline == null) {
          deadline = AwakeClock.nanoTime() + masterLostTimeout.toNanos();
        } else if (AwakeClock.nanoTime() - deadline > 0) {
          throw new MasterLostException(
              "no ApplicationMaster has answered for "
                  + masterLostTimeout.toMillis()
                  + " ms (tony.task.am-lost-timeout), the last one at "
                  + used.name(),
              e);
        }
        LOG.warn("a call of " + used.name() + " failed, and is made again: " + e);
      }
      if (retrySameServer) {
        retrySameServer =
            false; // a connection may break, and its server live: a look for a successor is dear
      } else if (!connectToSuccessor(used, pause)) {
        // Not all executors at the same moments.
        Thread.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        pause = Math.min(2 * pause, Math.max(pause, MAX_PAUSE.toMillis()));
      }
    }
  }

  /** True when there is a connection other than the one that failed, to a successor. */
  private synchronized boolean connectToSuccessor(Connection failed, long pauseMillis)
      throws InterruptedException {
    if (connection.number() != failed.number()) {
      return true; // another thread was faster
    }
    if (AwakeClock.nanoTime() - nextLookupNanos < 0) {
      return false; // another thread has looked just now
    }
    try {
      InetSocketAddress address = file.read();
      if (!address.equals(failed.master().address())) {
        Connection successor = connection(failed.number() + 1, address);
        successor.master().connect();
        LOG.info(
            "the ApplicationMaster at " + failed.name() + " has a successor: " + successor.name());
        connection = successor;
        failed.master().close();
        return true;
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("the ApplicationMaster's successor is not found: " + e);
    }
    nextLookupNanos = AwakeClock.nanoTime() + Duration.ofMillis(pauseMillis / 2).toNanos();
    return false;
  }

  /** Tells an ApplicationMaster what it may not know, if it is another than the last one. */
  private synchronized void runHandshake(MasterCalls.Caller master)
      throws IOException, InterruptedException {
    if (!registered) {
      return; // the registration, which is under way, says all
    }
    HeartbeatReply reply =
        master
            .call(Request.heartbeat(registration.task(), Heartbeat.EMPTY, programTokens.version()))
            .heartbeatReply();
    if (reply.masterNumber() < lastReply.masterNumber()) {
      throw new IOException(
          "it is ApplicationMaster "
              + reply.masterNumber()
              + " of the job, which number "
              + lastReply.masterNumber()
              + " has succeeded");
    }
    if (reply.masterNumber() > lastReply.masterNumber()) {
      LOG.info(
          "ApplicationMaster "
              + reply.masterNumber()
              + " of the job is told of "
              + registration.task());
      master.call(Request.register(registration, lastReply));
      if (exit != null) {
        master.call(Request.exited(registration.task(), exit));
      }
      lastReply = reply;
    }
  }

  @Override
  public void close() {
    connection.master().close();
  }
}
