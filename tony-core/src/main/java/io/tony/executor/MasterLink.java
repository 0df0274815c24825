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
import io.tony.protocol.proto.TonyProtos.RegisterRequest;
import io.tony.protocol.proto.TonyProtos.StartedRequest;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor says to its ApplicationMaster. A call that fails is made again until the
 * ApplicationMaster has been out of reach for as long as it would itself wait for this executor.
 */
final class MasterLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MasterLink.class);

  /** One call that may fail on the way. */
  private interface Call<T> {
    T make() throws ServiceException;
  }

  /** The ApplicationMaster is out of reach for good. */
  static final class MasterLost extends Exception {
    private static final long serialVersionUID = 1;

    MasterLost(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private final TaskProtocol master;
  private final TonyProtos.TaskKey key;
  private final Duration patience;
  private final Duration pause;

  private MasterLink(TaskProtocol master, TaskKey key, Duration patience, Duration pause) {
    this.master = master;
    this.key =
        TonyProtos.TaskKey.newBuilder()
            .setRole(key.task().role())
            .setIndex(key.task().index())
            .setAttempt(key.attempt())
            .setContainer(key.container())
            .build();
    this.patience = patience;
    this.pause = pause;
  }

  static MasterLink open(ExecutorSettings settings, Configuration conf) throws IOException {
    Duration patience = settings.heartbeatInterval().multipliedBy(settings.maxMissedHeartbeats());
    return new MasterLink(
        Connections.task(settings.master(), token(), conf),
        settings.key(),
        patience,
        settings.heartbeatInterval());
  }

  @SuppressWarnings("unchecked") // the alias says what it is
  private static Token<TonyToken> token() throws IOException {
    Token<? extends TokenIdentifier> token =
        UserGroupInformation.getCurrentUser().getCredentials().getToken(new Text(TonyToken.KIND));
    if (token == null) {
      throw new IOException("the container's credentials hold no " + TonyToken.KIND);
    }
    return (Token<TonyToken>) token;
  }

  void register(String host, int port, int tensorBoardPort)
      throws MasterLost, InterruptedException {
    RegisterRequest request =
        RegisterRequest.newBuilder()
            .setTask(key)
            .setHost(host)
            .setPort(port)
            .setTensorboardPort(tensorBoardPort)
            .build();
    insist(() -> master.register(null, request));
  }

  /** Waits for the next command: to start, until {@code started}; to stop, always. */
  AwaitResponse await(boolean started) throws MasterLost, InterruptedException {
    AwaitRequest request = AwaitRequest.newBuilder().setTask(key).setStarted(started).build();
    while (true) {
      AwaitResponse response = insist(() -> master.awaitCommand(null, request));
      if (response.hasStart() || response.hasStop()) {
        return response;
      }
    }
  }

  void started(long pid) throws MasterLost, InterruptedException {
    StartedRequest request = StartedRequest.newBuilder().setTask(key).setPid(pid).build();
    insist(() -> master.started(null, request));
  }

  /** {@code progress} is null where there is nothing new. */
  void heartbeat(String progress) throws MasterLost, InterruptedException {
    HeartbeatRequest.Builder request = HeartbeatRequest.newBuilder().setTask(key);
    if (progress != null) {
      request.setProgress(progress);
    }
    insist(() -> master.heartbeat(null, request.build()));
  }

  void exited(ExitedRequest.Builder exit) throws MasterLost, InterruptedException {
    ExitedRequest request = exit.setTask(key).build();
    insist(() -> master.exited(null, request));
  }

  private <T> T insist(Call<T> call) throws MasterLost, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return call.make();
      } catch (ServiceException e) {
        if (System.nanoTime() > deadline) {
          throw new MasterLost(
              "the ApplicationMaster has been out of reach for " + patience.toMillis() + " ms", e);
        }
        LOG.warn("A call of the ApplicationMaster failed, and is made again: {}", e.toString());
      }
      Thread.sleep(pause.toMillis());
    }
  }

  @Override
  public void close() {
    Connections.close(master);
  }
}
