package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/** A stream of bytes in each direction between a client and a task's executor. Thread-safe. */
final class Tunnel {
  /**
   * Maximum time in milliseconds without a call from one end; each end calls at least every 20 s.
   */
  static final long MAX_SILENCE_MS = 45_000;

  /** The two ends of a tunnel. */
  enum Side {
    CLIENT,
    EXECUTOR
  }

  private final TaskKey key;
  private final OpenTunnel openCommand;
  private final String clientName;
  private final InstantSource steady;
  private final TunnelPipe toTask;
  private final TunnelPipe toClient;
  private volatile long lastClientCallMs;
  private volatile long lastExecutorCallMs;
  private boolean recorded;
  private volatile boolean closed;
  private volatile long closedMs;

  /**
   * Creates an open tunnel, of which the executor may not know yet.
   *
   * @param openCommand tells the executor what to open at its end
   * @param clientName names the client that requested the tunnel, for people
   * @param steady measures the silence of both ends; must be monotonic
   */
  Tunnel(
      TaskKey key,
      OpenTunnel openCommand,
      String clientName,
      ScheduledExecutorService scheduler,
      InstantSource steady) {
    this.key = key;
    this.openCommand = openCommand;
    this.clientName = clientName;
    this.steady = steady;
    this.toTask = new TunnelPipe(scheduler);
    this.toClient = new TunnelPipe(scheduler);
    this.lastClientCallMs = steady.millis();
    this.lastExecutorCallMs = lastClientCallMs;
  }

  TaskKey key() {
    return key;
  }

  OpenTunnel openCommand() {
    return openCommand;
  }

  long number() {
    return openCommand.getTunnel();
  }

  boolean isTo(String container) {
    return key.container().equals(container);
  }

  String clientName() {
    return clientName;
  }

  @Nullable PutResponse put(Side side, Chunk chunk) throws ServiceException {
    recordCall(side);
    return (side == Side.CLIENT ? toTask : toClient).put(chunk);
  }

  @Nullable TakeResponse take(Side side, long lastTaken) {
    recordCall(side);
    return (side == Side.CLIENT ? toClient : toTask).take(lastTaken);
  }

  private void recordCall(Side side) {
    if (side == Side.CLIENT) {
      lastClientCallMs = steady.millis();
    } else {
      lastExecutorCallMs = steady.millis();
    }
  }

  /**
   * Returns why the tunnel must be closed if an end has been silent for too long; else an empty
   * text.
   */
  String silenceReason() {
    long now = steady.millis();
    if (now - lastClientCallMs > MAX_SILENCE_MS) {
      return "its client has been silent for " + MAX_SILENCE_MS / 1000 + " s";
    }
    if (now - lastExecutorCallMs > MAX_SILENCE_MS) {
      return "the executor of "
          + key.task()
          + " has been silent for "
          + MAX_SILENCE_MS / 1000
          + " s";
    }
    return "";
  }

  /**
   * Notes that the opening of this tunnel is in the event log. Returns false if the tunnel is
   * already closed.
   */
  synchronized boolean markRecorded() {
    recorded = true;
    return !closed;
  }

  /**
   * Closes the tunnel. Returns true if this call closed it and its opening is in the event log, so
   * that its end must be recorded, too.
   */
  synchronized boolean close(String why) {
    if (closed) {
      return false;
    }
    closed = true;
    closedMs = steady.millis();
    toTask.close(why);
    toClient.close(why);
    return recorded;
  }

  /** Returns true if the tunnel was closed so long ago that both ends have learned it. */
  boolean isExpired() {
    return closed && steady.millis() - closedMs > MAX_SILENCE_MS;
  }

  boolean isOpen() {
    return !closed;
  }
}
