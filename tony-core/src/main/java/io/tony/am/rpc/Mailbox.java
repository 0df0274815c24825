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
  private AwaitResponse checkpointRequest;

  /**
   * What it is to do beside its course, whatever attempt it is: the questions for stacks and the
   * tunnels that it has not taken up yet, the oldest first.
   */
  private final Deque<AwaitResponse> sideCommands = new ArrayDeque<>();

  private boolean registered;
  private HeldCall waitingCall;
  private int waitingAttempt;
  private boolean awaitsStart;
  private long knownRequestMs;

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

  synchronized void markRegistered() {
    if (!registered && waitingCall != null) {
      waitingCall.answer(AwaitResponse.getDefaultInstance()); // it asks again, as one who is known
      waitingCall = null;
    }
    registered = true;
  }

  synchronized void start(int newIndex, int newAttempt, Supplier<AwaitResponse> command) {
    if (newAttempt >= attempt) {
      advanceTo(newAttempt);
      index = newIndex;
      start = command;
      answerWaitingCall();
    }
  }

  synchronized void restart(int newIndex, int newAttempt, String why, boolean withStacks) {
    if (newAttempt >= attempt) {
      advanceTo(newAttempt);
      index = newIndex;
      reason = why;
      stacks = withStacks;
      answerWaitingCall();
    }
  }

  private void advanceTo(int next) {
    if (next > attempt) {
      start = null;
      checkpointRequest = null;
    }
    attempt = next;
  }

  synchronized void askForCheckpoint(int ofAttempt, AskForCheckpoint request) {
    if (ofAttempt == attempt) {
      checkpointRequest = AwaitResponse.newBuilder().setAsk(request).build();
      answerWaitingCall();
    }
  }

  /** A question for stacks, or a tunnel. */
  synchronized void addSideCommand(AwaitResponse sideCommand) {
    sideCommands.add(sideCommand);
    answerWaitingCall();
  }

  /** Nobody wants it any more. */
  synchronized void forgetTunnel(long number) {
    sideCommands.removeIf(
        sideCommand -> sideCommand.hasTunnel() && sideCommand.getTunnel().getTunnel() == number);
  }

  /** True when the executor waited, and is told by now. */
  synchronized boolean stop(String why, boolean withStacks) {
    boolean wasWaiting = waitingCall != null && !waitingCall.isAnswered();
    Stop.Builder command = Stop.newBuilder().setReason(why);
    if (withStacks) {
      command.setStacks(true);
    }
    stop = AwaitResponse.newBuilder().setStop(command).build();
    answerWaitingCall();
    return wasWaiting;
  }

  /** The answer, or null when the call is held. */
  synchronized AwaitResponse await(TaskKey key, AwaitRequest request) {
    waitingAttempt = key.attempt();
    awaitsStart = !request.getStarted();
    knownRequestMs = request.getAskedMs();
    sideCommands.removeIf(
        sideCommand ->
            sideCommand.hasStacks()
                ? sideCommand.getStacks().getQuestion() == request.getHandledStacks()
                : sideCommand.getTunnel().getTunnel() == request.getHandledTunnel());
    // One executor has one call open: an earlier one was lost on the way.
    waitingCall = null;
    Supplier<AwaitResponse> command = command();
    if (command != null && command != start) {
      return command.get();
    }
    waitingCall = HeldCall.hold(AwaitResponse.getDefaultInstance(), scheduler);
    if (command != null) {
      answerLater(waitingCall, command);
    }
    return null;
  }

  private void answerWaitingCall() {
    Supplier<AwaitResponse> command = waitingCall == null ? null : command();
    if (command != null && command == start) {
      answerLater(waitingCall, command);
    } else if (command != null) {
      waitingCall.answer(command.get());
      waitingCall = null;
    }
  }

  /**
   * A large cluster, or a file system that is asked for checkpoints, takes a while: neither on the
   * thread that owns the job nor on one that hears heartbeats. A stop or a restart overtakes it.
   */
  private void answerLater(HeldCall call, Supplier<AwaitResponse> command) {
    writer.execute(
        () -> {
          if (!call.isAnswered()) {
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
    if (waitingAttempt == attempt && awaitsStart && start != null) {
      return start;
    }
    if (!sideCommands.isEmpty()) {
      AwaitResponse sideCommand = sideCommands.peek();
      return () -> sideCommand;
    }
    AwaitResponse request = waitingAttempt == attempt && !awaitsStart ? checkpointRequest : null;
    return request == null || request.getAsk().getAskedMs() == knownRequestMs
        ? null
        : () -> request;
  }
}
