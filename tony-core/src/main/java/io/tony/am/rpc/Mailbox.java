package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Restart;
import io.tony.protocol.proto.TonyProtos.Stop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** What the executor of one container is to be told, and the call by which it waits for that. */
final class Mailbox {
  private final ScheduledExecutorService scheduler;
  private final Executor writer;

  /** The highest that was told; -1 before any. */
  private int attempt = -1;

  /** Of the task that it is then. */
  private int index;

  private String reason = "another attempt of it is started";
  private boolean stacks;
  private Supplier<AwaitResponse> start;
  private AwaitResponse stop;

  /** Of that attempt; null where it was not asked for a checkpoint. */
  private AwaitResponse ask;

  /**
   * What it is to do beside its course, whatever attempt it is: the questions for stacks and the
   * tunnels that it has not taken up yet, the oldest first.
   */
  private final Deque<AwaitResponse> asides = new ArrayDeque<>();

  private boolean registered;
  private HeldCall waiting;
  private int waitingAttempt;
  private boolean waitsForStart;
  private long waitingKnows;

  /**
   * Empty.
   *
   * @param scheduler ends the patience of calls
   * @param writer writes the start of a task for an executor that waits
   */
  Mailbox(ScheduledExecutorService scheduler, Executor writer) {
    this.scheduler = scheduler;
    this.writer = writer;
  }

  synchronized void registered() {
    if (!registered && waiting != null) {
      waiting.answer(AwaitResponse.getDefaultInstance()); // it asks again, as one who is known
      waiting = null;
    }
    registered = true;
  }

  synchronized void start(int ofIndex, int ofAttempt, Supplier<AwaitResponse> command) {
    if (ofAttempt >= attempt) {
      become(ofAttempt);
      index = ofIndex;
      start = command;
      tell();
    }
  }

  synchronized void restart(int asIndex, int asAttempt, String why, boolean withStacks) {
    if (asAttempt >= attempt) {
      become(asAttempt);
      index = asIndex;
      reason = why;
      stacks = withStacks;
      tell();
    }
  }

  private void become(int next) {
    if (next > attempt) {
      start = null;
      ask = null;
    }
    attempt = next;
  }

  synchronized void askForCheckpoint(int ofAttempt, AskForCheckpoint wish) {
    if (ofAttempt == attempt) {
      ask = AwaitResponse.newBuilder().setAsk(wish).build();
      tell();
    }
  }

  /** A question for stacks, or a tunnel. */
  synchronized void tellAside(AwaitResponse aside) {
    asides.add(aside);
    tell();
  }

  /** Nobody wants it any more. */
  synchronized void forgetTunnel(long number) {
    asides.removeIf(aside -> aside.hasTunnel() && aside.getTunnel().getTunnel() == number);
  }

  /** True when the executor waited, and is told by now. */
  synchronized boolean stop(String why, boolean withStacks) {
    boolean waits = waiting != null && !waiting.answered();
    Stop.Builder command = Stop.newBuilder().setReason(why);
    if (withStacks) {
      command.setStacks(true);
    }
    stop = AwaitResponse.newBuilder().setStop(command).build();
    tell();
    return waits;
  }

  /** The answer, or null when the call is held. */
  synchronized AwaitResponse await(TaskKey key, AwaitRequest request) {
    waitingAttempt = key.attempt();
    waitsForStart = !request.getStarted();
    waitingKnows = request.getAskedMs();
    asides.removeIf(
        aside ->
            aside.hasStacks()
                ? aside.getStacks().getQuestion() == request.getStacksKnown()
                : aside.getTunnel().getTunnel() == request.getTunnelKnown());
    // One executor has one call open: an earlier one was lost on the way.
    waiting = null;
    Supplier<AwaitResponse> command = command();
    if (command != null && command != start) {
      return command.get();
    }
    waiting = HeldCall.hold(AwaitResponse.getDefaultInstance(), scheduler);
    if (command != null) {
      write(waiting, command);
    }
    return null;
  }

  private void tell() {
    Supplier<AwaitResponse> command = waiting == null ? null : command();
    if (command != null && command == start) {
      write(waiting, command);
    } else if (command != null) {
      waiting.answer(command.get());
      waiting = null;
    }
  }

  /**
   * A large cluster, or a file system that is asked for checkpoints, takes a while: neither on the
   * thread that owns the job nor on one that hears heartbeats. A stop or a restart overtakes it.
   */
  private void write(HeldCall call, Supplier<AwaitResponse> command) {
    writer.execute(
        () -> {
          if (!call.answered()) {
            call.answer(command.get());
          }
        });
  }

  /** What whoever asks, or asked last, is to do; null when it is to wait. */
  private Supplier<AwaitResponse> command() {
    if (stop != null) {
      AwaitResponse answer = stop;
      return () -> answer;
    }
    if (waitingAttempt < attempt) {
      Restart.Builder restart =
          Restart.newBuilder().setIndex(index).setAttempt(attempt).setReason(reason);
      if (stacks) {
        restart.setStacks(true);
      }
      AwaitResponse answer = AwaitResponse.newBuilder().setRestart(restart).build();
      return () -> answer;
    }
    if (waitingAttempt == attempt && waitsForStart && start != null) {
      return start;
    }
    if (!asides.isEmpty()) {
      AwaitResponse aside = asides.peek();
      return () -> aside;
    }
    AwaitResponse asks = waitingAttempt == attempt && !waitsForStart ? ask : null;
    return asks == null || asks.getAsk().getAskedMs() == waitingKnows ? null : () -> asks;
  }
}
