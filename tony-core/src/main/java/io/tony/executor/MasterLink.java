package io.tony.executor;

import io.tony.clock.AwakeClock;
import io.tony.executor.rpc.Answer;
import io.tony.executor.rpc.Beat;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Exit;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.rpc.Known;
import io.tony.executor.rpc.MasterCalls;
import io.tony.executor.rpc.Registration;
import io.tony.executor.rpc.Request;
import io.tony.executor.rpc.Told;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import io.tony.tunnel.Chunk;
import io.tony.tunnel.Line;
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
final class MasterLink implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(MasterLink.class);

  /** All executors of a job look for its ApplicationMaster at once: not all the time. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** {@code number} tells it from those before it. */
  private record Connection(int number, MasterCalls master) {
    String name() {
      InetSocketAddress address = master.address();
      return address.getHostString() + ":" + address.getPort();
    }
  }

  /** The ApplicationMaster is out of reach for good. */
  static final class MasterLost extends Exception {
    private static final long serialVersionUID = 1;

    MasterLost(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private final MasterFile file;
  private final JobToken token;
  private final ProgramTokens programTokens;
  private final String protection;
  private final Spawner spawner;
  private final Duration patience;
  private final Duration shortestPause;
  private volatile Connection connection;

  // What a successor is told; guarded by this.
  private Registration registration; // null before the first
  private boolean registered; // an ApplicationMaster has taken a registration
  private Exit exit; // of the attempt that is registered, once it is reported
  private Told lastTold = Told.NOTHING; // by the ApplicationMaster that was greeted last
  private long nextLookNanos = AwakeClock.nanoTime();

  /**
   * A link to the ApplicationMaster that launched this executor.
   *
   * @param token proves who calls
   * @param programTokens are replaced when the ApplicationMaster has newer ones
   * @param file where its successors leave their addresses
   * @param spawner starts the threads of each connection
   */
  MasterLink(
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
    this.patience = settings.masterLost();
    // As rare as heartbeats: those of a large gang all look for a successor in HDFS.
    this.shortestPause = settings.heartbeatInterval();
    this.connection = connection(0, settings.master());
  }

  private Connection connection(int number, InetSocketAddress address) {
    MasterCalls calls = new MasterCalls(address, token, protection, spawner, this::greet);
    return new Connection(number, calls);
  }

  void register(Registration task) throws MasterLost, InterruptedException {
    synchronized (this) {
      registration = task;
      exit = null;
    }
    insist(Request.register(task, Told.NOTHING));
    synchronized (this) {
      registered = true;
    }
  }

  /**
   * Waits for the next command: to start, until {@code started}; to stop or restart, always; to ask
   * for a checkpoint other than the one that is known, once {@code started}; to tell stacks or to
   * open a tunnel, unless it is the known one, always.
   */
  Command await(TaskKey key, boolean started, long askedMs, Known known)
      throws MasterLost, InterruptedException {
    Request request = Request.awaitCommand(key, started, askedMs, known);
    Command command = null;
    while (command == null) {
      command = insist(request).command();
    }
    return command;
  }

  void started(TaskKey key, long pid) throws MasterLost, InterruptedException {
    synchronized (this) {
      if (registration.task().equals(key)) {
        registration = registration.withPid(pid);
      }
    }
    insist(Request.started(key, pid));
  }

  void heartbeat(TaskKey key, Beat beat) throws MasterLost, InterruptedException {
    synchronized (this) {
      if (beat.tensorBoardListens() && registration.task().equals(key)) {
        registration = registration.withTensorBoard();
      }
    }
    Told told = insist(Request.heartbeat(key, beat, programTokens.version())).told();
    if (told.tokens() != null) {
      programTokens.replace(told.tokens(), told.tokensVersion());
    }
    synchronized (this) {
      if (told.toldBy() >= lastTold.toldBy()) { // else a successor was greeted meanwhile
        lastTold = told;
      }
    }
  }

  void exited(TaskKey key, Exit how) throws MasterLost, InterruptedException {
    synchronized (this) {
      if (registration != null && registration.task().equals(key)) {
        exit = how; // a successor may be greeted before the answer is here
      }
    }
    insist(Request.exited(key, how));
  }

  /** The line of a tunnel, which ends with the ApplicationMaster that opened it. */
  Line line(TaskKey key, long tunnel) {
    MasterCalls master = connection.master();
    return new Line() {
      @Override
      public boolean put(Chunk chunk) throws IOException, Closed, InterruptedException {
        return master.call(Request.put(key, tunnel, chunk)).taken();
      }

      @Override
      public Chunk take(long known) throws IOException, Closed, InterruptedException {
        return master.call(Request.take(key, tunnel, known)).chunk();
      }
    };
  }

  private Answer insist(Request request) throws MasterLost, InterruptedException {
    // From the first failure: until then a call that is held for long has been listened to.
    Long deadline = null;
    long pause = shortestPause.toMillis();
    boolean again = true;
    while (true) {
      Connection used = connection;
      try {
        return used.master().call(request);
      } catch (IOException e) {
        if (deadline == null) {
          deadline = AwakeClock.nanoTime() + patience.toNanos();
        } else if (AwakeClock.nanoTime() - deadline > 0) {
          throw new MasterLost(
              "no ApplicationMaster has answered for "
                  + patience.toMillis()
                  + " ms (tony.task.am-lost-timeout), the last one at "
                  + used.name(),
              e);
        }
        LOG.warn("a call of " + used.name() + " failed, and is made again: " + e);
      }
      if (again) {
        again =
            false; // a connection may break, and its server live: a look for a successor is dear
      } else if (!follow(used, pause)) {
        // Not all executors at the same moments.
        Thread.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        pause = Math.min(2 * pause, Math.max(pause, LONGEST_PAUSE.toMillis()));
      }
    }
  }

  /** True when there is a connection other than the one that failed, to a successor. */
  private synchronized boolean follow(Connection failed, long pauseMillis)
      throws InterruptedException {
    if (connection.number() != failed.number()) {
      return true; // another thread was faster
    }
    if (AwakeClock.nanoTime() - nextLookNanos < 0) {
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
    nextLookNanos = AwakeClock.nanoTime() + Duration.ofMillis(pauseMillis / 2).toNanos();
    return false;
  }

  /** Tells an ApplicationMaster what it may not know, if it is another than the last one. */
  private synchronized void greet(MasterCalls.Caller master)
      throws IOException, InterruptedException {
    if (!registered) {
      return; // the registration, which is under way, says all
    }
    Told answer =
        master
            .call(Request.heartbeat(registration.task(), Beat.NO_NEWS, programTokens.version()))
            .told();
    if (answer.toldBy() < lastTold.toldBy()) {
      throw new IOException(
          "it is ApplicationMaster "
              + answer.toldBy()
              + " of the job, which number "
              + lastTold.toldBy()
              + " has succeeded");
    }
    if (answer.toldBy() > lastTold.toldBy()) {
      LOG.info(
          "ApplicationMaster " + answer.toldBy() + " of the job is told of " + registration.task());
      master.call(Request.register(registration, lastTold));
      if (exit != null) {
        master.call(Request.exited(registration.task(), exit));
      }
      lastTold = answer;
    }
  }

  @Override
  public void close() {
    connection.master().close();
  }
}
