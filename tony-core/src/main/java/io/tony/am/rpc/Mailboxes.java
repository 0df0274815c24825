package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Stop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What each executor is to be told. A command that comes before its executor asks is kept; an
 * executor that asks before there is a command is held.
 */
final class Mailboxes {
  private final Map<TaskKey, Mailbox> boxes = new ConcurrentHashMap<>();
  private final ScheduledExecutorService scheduler;

  Mailboxes(ScheduledExecutorService scheduler) {
    this.scheduler = scheduler;
  }

  void start(TaskKey key, Supplier<AwaitResponse> start) {
    box(key).start(start, scheduler);
  }

  void stop(TaskKey key, String reason) {
    box(key).stop(AwaitResponse.newBuilder().setStop(Stop.newBuilder().setReason(reason)).build());
  }

  /** The answer, or null when the call is held. */
  AwaitResponse await(TaskKey key, boolean started) {
    return box(key).await(started, scheduler);
  }

  private Mailbox box(TaskKey key) {
    return boxes.computeIfAbsent(key, k -> new Mailbox());
  }

  private static final class Mailbox {
    private Supplier<AwaitResponse> start;
    private AwaitResponse stop;
    private HeldCall waiting;
    private boolean waitsForStart;

    synchronized void start(Supplier<AwaitResponse> command, Executor elsewhere) {
      start = command;
      if (waiting != null && waitsForStart) {
        HeldCall call = waiting;
        waiting = null;
        // Writing down a large cluster takes a while: not on the thread that owns the job.
        elsewhere.execute(() -> call.answer(command.get()));
      }
    }

    synchronized void stop(AwaitResponse command) {
      stop = command;
      if (waiting != null) {
        waiting.answer(command);
        waiting = null;
      }
    }

    synchronized AwaitResponse await(boolean started, ScheduledExecutorService scheduler) {
      if (stop != null) {
        return stop;
      }
      if (start != null && !started) {
        return start.get();
      }
      // One executor has one call open: an earlier one was lost on the way.
      waiting = HeldCall.hold(AwaitResponse.getDefaultInstance(), scheduler);
      waitsForStart = !started;
      return null;
    }
  }
}
