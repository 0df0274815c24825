package io.tony.am.rpc;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.ProtobufRpcEngineCallback2;
import org.apache.hadoop.thirdparty.protobuf.Message;

/**
 * A call that is answered later. It holds no handler thread, and is answered exactly once: by the
 * first of an answer and the end of its patience, so that no client's call times out.
 */
final class HeldCall {
  /** Well below the callers' timeout of one call. */
  static final long MAX_HOLD_MS = 20_000;

  private final ProtobufRpcEngineCallback2 call;
  private ScheduledFuture<?> expiry;
  private boolean answered;

  private HeldCall(ProtobufRpcEngineCallback2 call) {
    this.call = call;
  }

  /** Takes the present call off its handler thread; the protocol's method then returns null. */
  static HeldCall hold(Message timeoutResponse, ScheduledExecutorService scheduler) {
    return hold(timeoutResponse, MAX_HOLD_MS, scheduler);
  }

  /** The same for a caller that has less patience. */
  static HeldCall hold(
      Message timeoutResponse, long timeoutMillis, ScheduledExecutorService scheduler) {
    HeldCall held = new HeldCall(ProtobufRpcEngine2.Server.registerForDeferredResponse2());
    synchronized (held) {
      held.expiry =
          scheduler.schedule(
              () -> held.answer(timeoutResponse),
              Math.min(timeoutMillis, MAX_HOLD_MS),
              TimeUnit.MILLISECONDS);
    }
    return held;
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

  /** The caller gets the error instead of an answer. */
  synchronized void fail(Throwable error) {
    if (!answered) {
      answered = true;
      expiry.cancel(false);
      call.error(error);
    }
  }
}
