package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * A stream of bytes in both directions between a client and the executor of one task. Thread-safe.
 */
final class Tunnel {
  /** Maximum time without a call from one end; each end calls at least every 20 s. */
  static final long MAX_SILENCE_MS = 45_000;

  /** An end of the tunnel. */
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
   * Creates an open tunnel; its executor may not know about it yet.
   *
   * @param openCommand what the executor is to open
   * @param clientName client that requested the tunnel, for people
   * @param steady measures the silence of the ends; must be monotonic
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

  PutResponse put(Side side, Chunk chunk) throws ServiceException {
    recordCall(side);
    return (side == Side.CLIENT ? toTask : toClient).put(chunk);
  }

  TakeResponse take(Side side, long lastTaken) {
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

  /** Returns the reason to close the tunnel if an end is silent for too long; else empty. */
  String silenceReason() {
    long now = steady.millis();
    if (now - lastClientCallMs > MAX_SILENCE_MS) {
      return "its client has not been heard of for " + MAX_SILENCE_MS / 1000 + " s";
    }
    if (now - lastExecutorCallMs > MAX_SILENCE_MS) {
      return "the executor of "
          + key.task()
          + " has not been heard of for "
          + MAX_SILENCE_MS / 1000
          + " s";
    }
    return "";
  }

  /**
   * Notes that the tunnel's opening is in the event log; returns false if the tunnel is already
   * closed.
   */
  synchronized boolean markRecorded() {
    recorded = true;
    return !closed;
  }

  /**
   * Returns true if this call closed the tunnel and its opening had been logged (so its closing
   * must be logged, too).
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

  /** Returns whether both ends have had time to learn that the tunnel is closed. */
  boolean isExpired() {
    return closed && steady.millis() - closedMs > MAX_SILENCE_MS;
  }

  boolean isOpen() {
    return !closed;
  }
}
