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
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Connection of an executor to its job's current ApplicationMaster. A call that fails is repeated
 * until it is answered, by the same ApplicationMaster or by a successor, or until {@code
 * tony.task.am-lost-timeout} has passed since its first failure. When the link connects to a
 * successor, it first sends what the successor may not know: the registration, whether the program
 * and TensorBoard run, and the exit, which an earlier ApplicationMaster may have received but not
 * recorded. To recognize a successor, which may have its predecessor's address, the link requests
 * the ApplicationMaster's attempt number on each new connection. Thread-safe.
 */
public final class MasterLink implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(MasterLink.class);

  /**
   * Maximum pause between two reads of the address file. Not shorter, because all executors of a
   * job read the file during the same period.
   */
  private static final Duration MAX_PAUSE = Duration.ofSeconds(5);

  /**
   * A connection to one ApplicationMaster.
   *
   * @param number how many successors this link had connected to before; 0 for the
   *     ApplicationMaster that launched the executor
   */
  private record Connection(int number, MasterCalls master) {
    String name() {
      InetSocketAddress address = master.address();
      return address.getHostString() + ":" + address.getPort();
    }
  }

  /**
   * Thrown when no ApplicationMaster of the job has answered within {@code
   * tony.task.am-lost-timeout}.
   */
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

  // Guarded by this, like all fields below: what a successor is sent, and when the address file may
  // be read again.
  // last registration, even if no ApplicationMaster has accepted it yet; null before the first
  private @Nullable TaskRegistration registration;
  private boolean registered; // true if an ApplicationMaster has accepted a registration
  private @Nullable ProgramExit exit; // exit reported for the registered attempt; null before
  // last heartbeat reply of the newest ApplicationMaster that has replied
  private HeartbeatReply lastReply = HeartbeatReply.NONE;
  private long nextLookupNanos = AwakeClock.nanoTime();

  /**
   * Creates a link to the ApplicationMaster that launched this executor; connects at the first
   * call.
   *
   * @param token authenticates this executor
   * @param programTokens updated when the ApplicationMaster sends newer tokens
   * @param file file with the address of the job's current ApplicationMaster
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
    // No shorter than the heartbeat interval: all executors of a large gang read the file in HDFS
    // at the same time.
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
   * Waits for the next command, for as long as it takes. The ApplicationMaster returns a start only
   * if {@code started} is false; a stop or restart in any case; a checkpoint request only if {@code
   * started} is true and the request's time differs from {@code askedMs}; a stacks or tunnel
   * request unless {@code handled} has its ID.
   *
   * @throws MasterLostException if no ApplicationMaster can be reached any more
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
      TaskRegistration last = lastRegistration();
      if (last.task().equals(key)) {
        registration = last.withPid(pid);
      }
    }
    callWithRetries(Request.started(key, pid));
  }

  public void sendHeartbeat(TaskKey key, Heartbeat heartbeat)
      throws MasterLostException, InterruptedException {
    synchronized (this) {
      if (heartbeat.tensorBoardListens() && lastRegistration().task().equals(key)) {
        registration = lastRegistration().withTensorBoard();
      }
    }
    HeartbeatReply reply =
        callWithRetries(Request.heartbeat(key, heartbeat, programTokens.version()))
            .heartbeatReply();
    if (reply.tokens() != null) {
      programTokens.replace(reply.tokens(), reply.tokensVersion());
    }
    synchronized (this) {
      // A reply with a lower attempt number was overtaken by the reply of a successor; drop it.
      if (reply.masterAttempt() >= lastReply.masterAttempt()) {
        lastReply = reply;
      }
    }
  }

  public void reportExit(TaskKey key, ProgramExit programExit)
      throws MasterLostException, InterruptedException {
    synchronized (this) {
      if (registration != null && registration.task().equals(key)) {
        // Set before the call, so that a successor that appears during the call is sent the exit.
        exit = programExit;
      }
    }
    callWithRetries(Request.exited(key, programExit));
  }

  /**
   * Returns the link through which a tunnel sends and receives chunks. Its calls are not retried
   * and go only to the current ApplicationMaster, because a tunnel ends with the ApplicationMaster
   * that opened it.
   */
  public TunnelLink tunnelLink(TaskKey key, long tunnel) {
    MasterCalls master = connection.master();
    return new TunnelLink() {
      @Override
      public boolean put(Chunk chunk)
          throws IOException, TunnelClosedException, InterruptedException {
        return master.call(Request.put(key, tunnel, chunk)).accepted();
      }

      @Override
      public @Nullable Chunk take(long known)
          throws IOException, TunnelClosedException, InterruptedException {
        return master.call(Request.take(key, tunnel, known)).chunk();
      }
    };
  }

  /** Returns the last registration. Call only after {@link #register}, with the lock held. */
  private TaskRegistration lastRegistration() {
    return Objects.requireNonNull(registration);
  }

  private Reply callWithRetries(Request request) throws MasterLostException, InterruptedException {
    // Set at the first failure, not at the start of the call, because the ApplicationMaster may
    // rightly answer a call only after a while.
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
        // Repeat the call once at the same address before reading the address file: this
        // ApplicationMaster may still be alive, and reading the file is expensive.
        retrySameServer = false;
      } else if (!connectToSuccessor(used, pause)) {
        // Random pause, so that the executors of a job do not all read the file at the same moment.
        Thread.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        pause = Math.min(2 * pause, Math.max(pause, MAX_PAUSE.toMillis()));
      }
    }
  }

  /**
   * Reads the address file and, if it contains another address than that of {@code failed},
   * connects to the ApplicationMaster there. Returns true if the failed connection was replaced, by
   * this call or by another thread before; false if the address is still the same, the file was
   * read a moment ago, or no connection could be made.
   *
   * @param pauseMillis half of this is the minimum time until the file is read again
   */
  private synchronized boolean connectToSuccessor(Connection failed, long pauseMillis)
      throws InterruptedException {
    if (connection.number() != failed.number()) {
      return true; // another thread has connected to a successor
    }
    if (AwakeClock.nanoTime() - nextLookupNanos < 0) {
      return false; // another thread has read the file a moment ago
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

  /**
   * Runs on each new connection. If the ApplicationMaster is a successor of the last one that
   * replied, sends it the registration and the exit, if any.
   *
   * @throws IOException if the ApplicationMaster is older than the last one that replied
   */
  private synchronized void runHandshake(MasterCalls.Caller master)
      throws IOException, InterruptedException {
    if (!registered) {
      return; // the call that connects is the first registration
    }
    TaskRegistration last = lastRegistration();
    HeartbeatReply reply =
        master
            .call(Request.heartbeat(last.task(), Heartbeat.EMPTY, programTokens.version()))
            .heartbeatReply();
    if (reply.masterAttempt() < lastReply.masterAttempt()) {
      throw new IOException(
          "it is ApplicationMaster "
              + reply.masterAttempt()
              + " of the job, which number "
              + lastReply.masterAttempt()
              + " has succeeded");
    }
    if (reply.masterAttempt() > lastReply.masterAttempt()) {
      LOG.info(
          "ApplicationMaster " + reply.masterAttempt() + " of the job is told of " + last.task());
      master.call(Request.register(last, lastReply));
      if (exit != null) {
        master.call(Request.exited(last.task(), exit));
      }
      lastReply = reply;
    }
  }

  @Override
  public void close() {
    connection.master().close();
  }
}
