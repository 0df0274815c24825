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
  static final long SILENT_MS = 45_000;

  /** Who speaks. */
  enum Side {
    CLIENT,
    EXECUTOR
  }

  private final TaskKey key;
  private final OpenTunnel wanted;
  private final String who;
  private final InstantSource steady;
  private final Pipe toTask;
  private final Pipe toClient;
  private volatile long clientHeardMs;
  private volatile long executorHeardMs;
  private boolean recorded;
  private volatile boolean closed;
  private volatile long closedMs;

  /**
   * One that is open, though its executor may not know it yet.
   *
   * @param wanted what the executor is to open
   * @param who wants it, in words
   */
  Tunnel(
      TaskKey key,
      OpenTunnel wanted,
      String who,
      ScheduledExecutorService scheduler,
      InstantSource steady) {
    this.key = key;
    this.wanted = wanted;
    this.who = who;
    this.steady = steady;
    this.toTask = new Pipe(scheduler);
    this.toClient = new Pipe(scheduler);
    this.clientHeardMs = steady.millis();
    this.executorHeardMs = clientHeardMs;
  }

  TaskKey key() {
    return key;
  }

  OpenTunnel wanted() {
    return wanted;
  }

  long number() {
    return wanted.getTunnel();
  }

  boolean isTo(String container) {
    return key.container().equals(container);
  }

  String who() {
    return who;
  }

  PutResponse put(Side side, Chunk chunk) throws ServiceException {
    heard(side);
    return (side == Side.CLIENT ? toTask : toClient).put(chunk);
  }

  TakeResponse take(Side side, long known) {
    heard(side);
    return (side == Side.CLIENT ? toClient : toTask).take(known);
  }

  private void heard(Side side) {
    if (side == Side.CLIENT) {
      clientHeardMs = steady.millis();
    } else {
      executorHeardMs = steady.millis();
    }
  }

  /** Why it is to be closed by now; empty where it is not. */
  String silent() {
    long now = steady.millis();
    if (now - clientHeardMs > SILENT_MS) {
      return "its client has not been heard of for " + SILENT_MS / 1000 + " s";
    }
    if (now - executorHeardMs > SILENT_MS) {
      return "the executor of "
          + key.task()
          + " has not been heard of for "
          + SILENT_MS / 1000
          + " s";
    }
    return "";
  }

  /** The event log has its beginning. False when it is closed by then. */
  synchronized boolean recorded() {
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
  boolean isPast() {
    return closed && steady.millis() - closedMs > SILENT_MS;
  }

  boolean isOpen() {
    return !closed;
  }
}
