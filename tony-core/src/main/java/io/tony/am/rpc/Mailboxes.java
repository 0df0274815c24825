package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Restart;
import io.tony.protocol.proto.TonyProtos.Stop;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What each executor is to be told: one box for each container, because an executor lives on from
 * attempt to attempt. A command that comes before its executor asks is kept; an executor that asks
 * before there is a command is held.
 *
 * <p>An executor that nobody here has heard of may only be faster with its question than with its
 * registration, when it comes from an earlier ApplicationMaster: its call is held as well, and
 * answered when it registers. One that does not register while the call is held is told to stop:
 * its container is no longer the job's.
 */
final class Mailboxes {
  private final Map<String, Mailbox> boxes = new ConcurrentHashMap<>();
  private final ScheduledExecutorService scheduler;
  private final Duration registersWithin;

  /** {@code registersWithin} is for executors that ask before they register. */
  Mailboxes(ScheduledExecutorService scheduler, Duration registersWithin) {
    this.scheduler = scheduler;
    this.registersWithin = registersWithin;
  }

  /** The executor registered. */
  void registered(TaskKey key) {
    box(key.container()).registered();
  }

  /** The executor of an earlier ApplicationMaster is to be of this attempt. */
  void adopt(TaskKey key) {
    Mailbox box = box(key.container());
    box.restart(key.attempt(), "it was told so by an earlier ApplicationMaster", scheduler);
    box.registered();
  }

  void start(TaskKey key, Supplier<AwaitResponse> start) {
    box(key.container()).start(key.attempt(), start, scheduler);
  }

  void restart(String container, int attempt, String reason) {
    box(container).restart(attempt, reason, scheduler);
  }

  void stop(String container, String reason) {
    box(container).stop(stopped(reason), scheduler);
  }

  /** The container has ended; were its executor alive all the same, it would be told to stop. */
  void forget(String container) {
    Mailbox box = boxes.remove(container);
    if (box != null) {
      box.stop(stopped("its container has ended"), scheduler);
    }
  }

  /** The answer, or null when the call is held. */
  AwaitResponse await(TaskKey key, boolean started) {
    return box(key.container()).await(key, started, scheduler, registersWithin);
  }

  private Mailbox box(String container) {
    return boxes.computeIfAbsent(container, c -> new Mailbox());
  }

  private static AwaitResponse stopped(String reason) {
    return AwaitResponse.newBuilder().setStop(Stop.newBuilder().setReason(reason)).build();
  }

  private static final class Mailbox {
    /** The highest that was told; -1 before any. */
    private int attempt = -1;

    private String reason = "another attempt of it is started";
    private Supplier<AwaitResponse> start;
    private AwaitResponse stop;
    private boolean known;
    private HeldCall waiting;
    private int waitingAttempt;
    private boolean waitsForStart;

    synchronized void registered() {
      if (!known && waiting != null) {
        waiting.answer(AwaitResponse.getDefaultInstance()); // it asks again, as one who is known
        waiting = null;
      }
      known = true;
    }

    synchronized void start(int ofAttempt, Supplier<AwaitResponse> command, Executor elsewhere) {
      if (ofAttempt >= attempt) {
        attempt = ofAttempt;
        start = command;
        tell(elsewhere);
      }
    }

    synchronized void restart(int asAttempt, String why, Executor elsewhere) {
      if (asAttempt > attempt) {
        start = null;
      }
      if (asAttempt >= attempt) {
        attempt = asAttempt;
        reason = why;
        tell(elsewhere);
      }
    }

    synchronized void stop(AwaitResponse command, Executor elsewhere) {
      stop = command;
      tell(elsewhere);
    }

    synchronized AwaitResponse await(
        TaskKey key,
        boolean started,
        ScheduledExecutorService scheduler,
        Duration registersWithin) {
      waitingAttempt = key.attempt();
      waitsForStart = !started;
      // One executor has one call open: an earlier one was lost on the way.
      waiting = null;
      Supplier<AwaitResponse> command = command();
      if (command != null) {
        return command.get();
      }
      waiting =
          known || attempt >= 0
              ? HeldCall.hold(AwaitResponse.getDefaultInstance(), scheduler)
              : HeldCall.hold(
                  stopped(key.container() + " is not a container of this job any more"),
                  registersWithin.toMillis(),
                  scheduler);
      return null;
    }

    private void tell(Executor elsewhere) {
      Supplier<AwaitResponse> command = waiting == null ? null : command();
      if (command != null) {
        HeldCall call = waiting;
        waiting = null;
        if (command == start) {
          // Writing down a large cluster takes a while: not on the thread that owns the job.
          elsewhere.execute(() -> call.answer(command.get()));
        } else {
          call.answer(command.get());
        }
      }
    }

    /** What whoever asks, or asked last, is to do; null when it is to wait. */
    private Supplier<AwaitResponse> command() {
      if (stop != null) {
        AwaitResponse answer = stop;
        return () -> answer;
      }
      if (waitingAttempt < attempt) {
        Restart.Builder restart = Restart.newBuilder().setAttempt(attempt).setReason(reason);
        AwaitResponse answer = AwaitResponse.newBuilder().setRestart(restart).build();
        return () -> answer;
      }
      return waitingAttempt == attempt && waitsForStart ? start : null;
    }
  }
}
