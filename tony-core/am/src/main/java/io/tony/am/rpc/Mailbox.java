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
import org.jspecify.annotations.Nullable;

/**
 * Pending commands for the executor of one container, and the executor's held call for the next
 * command (its poll). Thread-safe.
 */
final class Mailbox {
  private final ScheduledExecutorService scheduler;
  private final Executor writer;

  /** Highest attempt for which there was a command to start or restart; -1 if none. */
  private int attempt = -1;

  /** Index of the container's task in that attempt. */
  private int index;

  private String reason = "another attempt of it is started";
  private boolean dumpStacks;
  private @Nullable Supplier<AwaitResponse> start; // null before the attempt's command to start
  private @Nullable AwaitResponse stop; // null before the order to stop

  /** Request to {@link #attempt} to save a checkpoint; null if none. */
  private @Nullable AwaitResponse checkpointRequest;

  /**
   * Commands that are independent of the attempt: requests for stacks and for opening tunnels that
   * the executor has not confirmed yet, oldest first.
   */
  private final Deque<AwaitResponse> sideCommands = new ArrayDeque<>();

  private boolean registered;
  private @Nullable HeldCall waitingCall; // null if no poll is held
  private int waitingAttempt;
  private boolean awaitsStart;
  private long knownRequestMs;

  /**
   * Creates an empty mailbox.
   *
   * @param scheduler answers held calls after their timeout
   * @param writer writes the start message for an executor that waits for it
   */
  Mailbox(ScheduledExecutorService scheduler, Executor writer) {
    this.scheduler = scheduler;
    this.writer = writer;
  }

  synchronized void markRegistered() {
    if (!registered && waitingCall != null) {
      // Let the executor poll again: it is registered then.
      waitingCall.answer(AwaitResponse.getDefaultInstance());
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
      dumpStacks = withStacks;
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

  synchronized void requestCheckpoint(int ofAttempt, AskForCheckpoint request) {
    if (ofAttempt == attempt) {
      checkpointRequest = AwaitResponse.newBuilder().setAsk(request).build();
      answerWaitingCall();
    }
  }

  /** Adds a request for stacks or for opening a tunnel. */
  synchronized void addSideCommand(AwaitResponse sideCommand) {
    sideCommands.add(sideCommand);
    answerWaitingCall();
  }

  /** Removes the pending request to open this tunnel, which has been closed. */
  synchronized void forgetTunnel(long number) {
    sideCommands.removeIf(
        sideCommand -> sideCommand.hasTunnel() && sideCommand.getTunnel().getTunnel() == number);
  }

  /**
   * Adds the order to stop, which precedes all other commands. Returns true if the executor's poll
   * was held and is answered with this order now.
   */
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

  /** Handles the executor's poll: returns the next command, or null if the call is held. */
  synchronized @Nullable AwaitResponse await(TaskKey key, AwaitRequest request) {
    waitingAttempt = key.attempt();
    awaitsStart = !request.getStarted();
    knownRequestMs = request.getAskedMs();
    sideCommands.removeIf(
        sideCommand ->
            sideCommand.hasStacks()
                ? sideCommand.getStacks().getQuestion() == request.getHandledStacks()
                : sideCommand.getTunnel().getTunnel() == request.getHandledTunnel());
    // An executor polls once at a time: if an earlier call is still held, its connection was lost.
    waitingCall = null;
    Supplier<AwaitResponse> command = command();
    if (command != null && command != start) {
      return command.get();
    }
    HeldCall call = HeldCall.hold(AwaitResponse.getDefaultInstance(), scheduler);
    waitingCall = call;
    if (command != null) {
      answerLater(call, command);
    }
    return null;
  }

  private void answerWaitingCall() {
    if (waitingCall == null) {
      return;
    }
    Supplier<AwaitResponse> command = command();
    if (command != null && command == start) {
      answerLater(waitingCall, command);
    } else if (command != null) {
      waitingCall.answer(command.get());
      waitingCall = null;
    }
  }

  /**
   * Creates the start message and answers the call with it, on a thread of {@code writer}: in a
   * large cluster, or if checkpoints must be read from the file system, this takes too long for the
   * loop's thread and for RPC handlers. Does nothing if a stop or restart command has answered the
   * call in the meantime.
   */
  private void answerLater(HeldCall call, Supplier<AwaitResponse> command) {
    writer.execute(
        () -> {
          if (!call.isAnswered()) {
            call.answer(command.get());
          }
        });
  }

  /** Returns the command with which to answer the executor's last poll; null if there is none. */
  private @Nullable Supplier<AwaitResponse> command() {
    if (stop != null) {
      AwaitResponse answer = stop;
      return () -> answer;
    }
    if (waitingAttempt < attempt) {
      Restart.Builder restart =
          Restart.newBuilder().setIndex(index).setAttempt(attempt).setReason(reason);
      if (dumpStacks) {
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
