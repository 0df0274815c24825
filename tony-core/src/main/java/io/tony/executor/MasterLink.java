package io.tony.executor;

import io.tony.model.TaskKey;
import io.tony.protocol.Connections;
import io.tony.protocol.TaskProtocol;
import io.tony.protocol.TonyToken;
import io.tony.protocol.proto.TonyProtos;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatResponse;
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor says to its ApplicationMaster, and to that one's successor when it is lost: a
 * call that fails is made again until somebody answers it or the ApplicationMaster counts as lost
 * for good. A successor is first told what it may not know: the registration, whether the program
 * and its TensorBoard run, and its end where an earlier one has taken the report and perhaps not
 * kept it. For use by several threads.
 */
final class MasterLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MasterLink.class);

  /** All executors of a job look for its ApplicationMaster at once: not all the time. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** One call that may fail on the way. */
  private interface MasterCall<T> {
    T make(TaskProtocol master) throws ServiceException;
  }

  /** {@code number} tells it from those before it. */
  private record Connection(int number, InetSocketAddress address, TaskProtocol master) {
    String name() {
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
  private final Token<TonyToken> token;
  private final ProgramTokens programTokens;
  private final Configuration conf;
  private final Duration patience;
  private final Duration shortestPause;
  private volatile Connection connection;

  // What a successor is told; guarded by this.
  private RegisterRequest registration; // null before the first
  private ExitedRequest exit; // of the attempt that is registered, when it was reported
  private HeartbeatResponse lastTold = HeartbeatResponse.getDefaultInstance();
  private long nextLookNanos = System.nanoTime();

  private MasterLink(
      ExecutorSettings settings,
      Token<TonyToken> token,
      ProgramTokens programTokens,
      Configuration conf)
      throws IOException {
    this.file = new MasterFile(settings.masterFile(), conf);
    this.token = token;
    this.programTokens = programTokens;
    this.conf = conf;
    this.patience = settings.masterLost();
    this.shortestPause = settings.heartbeatInterval();
    this.connection = connect(0, settings.master());
  }

  /**
   * Connects to the ApplicationMaster that launched this executor.
   *
   * @param token proves who calls
   * @param programTokens are replaced when the ApplicationMaster has newer ones
   */
  static MasterLink open(
      ExecutorSettings settings,
      Token<TonyToken> token,
      ProgramTokens programTokens,
      Configuration conf)
      throws IOException {
    return new MasterLink(settings, token, programTokens, conf);
  }

  private Connection connect(int number, InetSocketAddress address) throws IOException {
    return new Connection(number, address, Connections.task(address, token, conf));
  }

  /** {@code tensorBoardPort} is 0 where there is none. */
  void register(TaskKey key, String host, int port, int tensorBoardPort)
      throws MasterLost, InterruptedException {
    RegisterRequest request =
        RegisterRequest.newBuilder()
            .setTask(wire(key))
            .setHost(host)
            .setPort(port)
            .setTensorboardPort(tensorBoardPort)
            .build();
    synchronized (this) {
      registration = request;
      exit = null;
    }
    insist(master -> master.register(null, request));
  }

  /** Waits for the next command: to start, until {@code started}; to stop or restart, always. */
  AwaitResponse await(TaskKey key, boolean started) throws MasterLost, InterruptedException {
    AwaitRequest request = AwaitRequest.newBuilder().setTask(wire(key)).setStarted(started).build();
    while (true) {
      AwaitResponse response = insist(master -> master.awaitCommand(null, request));
      if (response.hasStart() || response.hasStop() || response.hasRestart()) {
        return response;
      }
    }
  }

  void started(TaskKey key, long pid) throws MasterLost, InterruptedException {
    StartedRequest request = StartedRequest.newBuilder().setTask(wire(key)).setPid(pid).build();
    synchronized (this) {
      if (registration.getTask().equals(request.getTask())) {
        registration = registration.toBuilder().setPid(pid).build();
      }
    }
    insist(master -> master.started(null, request));
  }

  void heartbeat(TaskKey key, HeartbeatRequest.Builder news)
      throws MasterLost, InterruptedException {
    HeartbeatRequest request =
        news.setTask(wire(key)).setTokensVersion(programTokens.version()).build();
    HeartbeatResponse told = insist(master -> master.heartbeat(null, request));
    if (told.hasTokens()) {
      programTokens.replace(told.getTokens());
    }
    synchronized (this) {
      lastTold = told.toBuilder().clearTokens().build();
    }
  }

  /** The program accepts connections at the port that was reserved for TensorBoard. */
  void tensorBoardListens(TaskKey key) throws MasterLost, InterruptedException {
    HeartbeatRequest request =
        HeartbeatRequest.newBuilder().setTask(wire(key)).setTensorboardListens(true).build();
    synchronized (this) {
      if (registration.getTask().equals(request.getTask())) {
        registration = registration.toBuilder().setTensorboardListens(true).build();
      }
    }
    insist(master -> master.heartbeat(null, request));
  }

  void exited(TaskKey key, ExitedRequest.Builder how) throws MasterLost, InterruptedException {
    ExitedRequest request = how.setTask(wire(key)).build();
    insist(master -> master.exited(null, request));
    synchronized (this) {
      if (registration.getTask().equals(request.getTask())) {
        exit = request;
      }
    }
  }

  private static TonyProtos.TaskKey wire(TaskKey key) {
    return TonyProtos.TaskKey.newBuilder()
        .setRole(key.task().role())
        .setIndex(key.task().index())
        .setAttempt(key.attempt())
        .setContainer(key.container())
        .build();
  }

  private <T> T insist(MasterCall<T> call) throws MasterLost, InterruptedException {
    // From the first failure: until then a call that is held for long has been listened to.
    Long deadline = null;
    long pause = shortestPause.toMillis();
    while (true) {
      Connection used = connection;
      try {
        return call.make(used.master());
      } catch (ServiceException e) {
        if (Thread.interrupted()) {
          throw new InterruptedException("while " + used.name() + " was called");
        }
        if (deadline == null) {
          deadline = System.nanoTime() + patience.toNanos();
        } else if (System.nanoTime() - deadline > 0) {
          throw new MasterLost(
              "no ApplicationMaster has answered for "
                  + patience.toMillis()
                  + " ms (tony.task.am-lost-timeout), the last one at "
                  + used.name(),
              e);
        }
        LOG.warn("A call of {} failed, and is made again: {}", used.name(), e.toString());
      }
      if (!follow(used, pause)) {
        // Not all executors at the same moments.
        Thread.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        pause = Math.min(2 * pause, Math.max(pause, LONGEST_PAUSE.toMillis()));
      }
    }
  }

  /** True when there is a connection other than the one that failed, to a successor. */
  private synchronized boolean follow(Connection failed, long pauseMillis) {
    if (connection.number() != failed.number()) {
      return true; // another thread was faster
    }
    if (System.nanoTime() - nextLookNanos < 0) {
      return false; // another thread has looked just now
    }
    try {
      InetSocketAddress address = file.read();
      if (!address.equals(failed.address())) {
        Connection successor = connect(failed.number() + 1, address);
        introduce(successor);
        LOG.info(
            "The ApplicationMaster at {} has a successor at {}", failed.name(), successor.name());
        connection = successor;
        Connections.close(failed.master());
        return true;
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("The ApplicationMaster's address cannot be read: {}", e.toString());
    } catch (ServiceException e) {
      LOG.warn("The ApplicationMaster's successor does not answer: {}", e.toString());
    }
    nextLookNanos = System.nanoTime() + Duration.ofMillis(pauseMillis / 2).toNanos();
    return false;
  }

  private void introduce(Connection successor) throws ServiceException {
    if (registration != null) {
      successor.master().register(null, registration.toBuilder().setLastTold(lastTold).build());
    }
    if (exit != null) {
      successor.master().exited(null, exit);
    }
  }

  @Override
  public void close() {
    Connections.close(connection.master());
  }
}
