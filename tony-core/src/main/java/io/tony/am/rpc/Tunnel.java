package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.Chunk;
import io.tony.protocol.proto.TonyProtos.OpenTunnel;
import io.tony.protocol.proto.TonyProtos.PutResponse;
import io.tony.protocol.proto.TonyProtos.TakeResponse;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** A stream of bytes in both directions, between a client and the executor of one task. */
final class Tunnel {
  /** Each end asks, or says something, at least every 20 s. */
  static final long MAX_SILENCE_MS = 45_000;

  /** Who speaks. */
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
   * One that is open, though its executor may not know it yet.
   *
   * @param openCommand what the executor is to open
   * @param clientName wants it, in words
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

  /** Why it is to be closed by now; empty where it is not. */
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

  /** The event log has its beginning. False when it is closed by then. */
  synchronized boolean markRecorded() {
    recorded = true;
    return !closed;
  }

  /** True when the event log has its beginning, and it was open until now. */
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

  /** Both ends have had the time to learn that it is closed. */
  boolean isExpired() {
    return closed && steady.millis() - closedMs > MAX_SILENCE_MS;
  }

  boolean isOpen() {
    return !closed;
  }
}
