package io.tony.am.rpc;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.ProtobufRpcEngineCallback2;
import org.apache.hadoop.thirdparty.protobuf.Message;

/**
 * An RPC call that is answered later, without occupying a handler thread in the meantime. It is
 * answered exactly once: by {@link #answer}, by {@link #fail} or, after a timeout, with a default
 * response, so that the caller's own timeout does not expire.
 */
final class HeldCall {
  /** Maximum time that a call is held, in milliseconds; well below the callers' own timeout. */
  static final long MAX_HOLD_MS = 20_000;

  private final ProtobufRpcEngineCallback2 call;
  private final ScheduledFuture<?> expiry;
  private boolean answered;

  private HeldCall(
      Message timeoutResponse, long timeoutMillis, ScheduledExecutorService scheduler) {
    call = ProtobufRpcEngine2.Server.registerForDeferredResponse2();
    synchronized (this) {
      expiry =
          scheduler.schedule(
              () -> answer(timeoutResponse),
              Math.min(timeoutMillis, MAX_HOLD_MS),
              TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Detaches the current call from its handler thread. The protocol's method must then return null.
   *
   * @param timeoutResponse answer after {@link #MAX_HOLD_MS}
   */
  static HeldCall hold(Message timeoutResponse, ScheduledExecutorService scheduler) {
    return hold(timeoutResponse, MAX_HOLD_MS, scheduler);
  }

  /**
   * Like {@link #hold(Message, ScheduledExecutorService)}, with this timeout, at most {@link
   * #MAX_HOLD_MS}.
   */
  static HeldCall hold(
      Message timeoutResponse, long timeoutMillis, ScheduledExecutorService scheduler) {
    return new HeldCall(timeoutResponse, timeoutMillis, scheduler);
  }

  synchronized boolean isAnswered() {
    return answered;
  }

  synchronized void answer(Message message) {
    if (!answered) {
      answered = true;
      expiry.cancel(false);
      call.setResponse(message);
    }
  }

  /** Answers the call with an error, unless it is already answered. */
  synchronized void fail(Throwable error) {
    if (!answered) {
      answered = true;
      expiry.cancel(false);
      call.error(error);
    }
  }
}
