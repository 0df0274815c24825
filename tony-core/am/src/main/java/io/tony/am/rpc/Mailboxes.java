package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Mailboxes with the pending commands for executors, one per container: an executor lives longer
 * than a task attempt. A command is kept until the executor polls; a poll without a command is
 * held. A mailbox exists from the launch or adoption of its container to the container's end. Later
 * commands are dropped.
 *
 * <p>An executor that an earlier ApplicationMaster started may poll before it registers here. Its
 * poll is held until it registers. If it does not register in time, it is ordered to stop, because
 * its container does not belong to the job any more. The mailbox of such an unknown executor is
 * created only by the executor's calls, never by a command. It is removed when the executor is
 * stopped or silent for too long. Thread-safe.
 */
final class Mailboxes {
  /**
   * Milliseconds after which the mailbox of an executor that registered, but is still unknown, is
   * removed if the executor does not call. A living one polls again after each held call.
   */
  private static final long MAX_SILENCE_MS = 2 * HeldCall.MAX_HOLD_MS;

  private final Map<String, Mailbox> boxes = new HashMap<>();
  private final Map<String, UnknownExecutor> unknownExecutors = new HashMap<>();
  private final ScheduledExecutorService scheduler;
  private final Executor writer;
  private final long maxRegistrationMillis;

  /**
   * An executor that has called, but whose container was neither launched nor adopted by this
   * ApplicationMaster.
   */
  private final class UnknownExecutor {
    final boolean registered;
    final ScheduledFuture<?> removal;

    UnknownExecutor(boolean registered, String container, long removalMillis) {
      this.registered = registered;
      this.removal =
          scheduler.schedule(
              () -> removeSilent(container, this), removalMillis, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Creates the object without any mailbox.
   *
   * @param scheduler answers held calls after their timeout; runs only short tasks here
   * @param writer writes start messages, which are long for a large cluster
   * @param maxRegistrationWait how long an executor may wait that polls before it registers
   */
  Mailboxes(ScheduledExecutorService scheduler, Executor writer, Duration maxRegistrationWait) {
    this.scheduler = scheduler;
    this.writer = writer;
    this.maxRegistrationMillis = Math.min(maxRegistrationWait.toMillis(), HeldCall.MAX_HOLD_MS);
  }

  /** Creates the mailbox of a container in which an executor is about to be launched. */
  void expect(String container) {
    expectedBox(container);
  }

  /** Records that the executor has registered. */
  void markRegistered(TaskKey key) {
    boxOfCaller(key.container(), true).markRegistered();
  }

  /**
   * Takes over the executor of an earlier ApplicationMaster. If it runs an earlier attempt than
   * this, it is told to restart.
   */
  void adopt(TaskKey key) {
    Mailbox box = expectedBox(key.container());
    box.restart(
        key.task().index(), key.attempt(), "an earlier ApplicationMaster ordered it", false);
    box.markRegistered();
  }

  void start(TaskKey key, Supplier<AwaitResponse> start) {
    Mailbox box = find(key.container());
    if (box != null) {
      box.start(key.task().index(), key.attempt(), start);
    }
  }

  void restart(TaskKey to, String reason, boolean stacks) {
    Mailbox box = find(to.container());
    if (box != null) {
      box.restart(to.task().index(), to.attempt(), reason, stacks);
    }
  }

  void requestCheckpoint(TaskKey key, AskForCheckpoint request) {
    Mailbox box = find(key.container());
    if (box != null) {
      box.requestCheckpoint(key.attempt(), request);
    }
  }

  /** Adds a request for stacks or for opening a tunnel; ignored if the container has no mailbox. */
  void addSideCommand(String container, AwaitResponse sideCommand) {
    Mailbox box = find(container);
    if (box != null) {
      box.addSideCommand(sideCommand);
    }
  }

  void forgetTunnel(String container, long number) {
    Mailbox box = find(container);
    if (box != null) {
      box.forgetTunnel(number);
    }
  }

  void stop(String container, String reason, boolean stacks) {
    Mailbox box = find(container);
    if (box != null && box.stop(reason, stacks)) {
      removeUnknown(container);
    }
  }

  /**
   * Removes the mailbox of a container that has ended. If its executor still polls, it is ordered
   * to stop.
   */
  void forget(String container) {
    Mailbox box = remove(container);
    if (box != null) {
      box.stop("its container has ended", false);
    }
  }

  /** Handles an executor's poll: returns the next command, or null if the call is held. */
  @Nullable AwaitResponse await(TaskKey key, AwaitRequest request) {
    AwaitResponse answer = boxOfCaller(key.container(), false).await(key, request);
    if (answer != null && answer.hasStop()) {
      removeUnknown(key.container());
    }
    return answer;
  }

  synchronized int size() {
    return boxes.size();
  }

  private synchronized @Nullable Mailbox find(String container) {
    return boxes.get(container);
  }

  /**
   * Returns the mailbox of a container that was launched or adopted; creates it if there is none.
   * It exists until {@link #forget}.
   */
  private synchronized Mailbox expectedBox(String container) {
    forgetUnknown(container);
    return box(container);
  }

  /**
   * Returns the mailbox of the executor that calls; creates it if there is none. For an {@link
   * UnknownExecutor}, also schedules the removal of the mailbox.
   *
   * @param isRegistration true if the executor registers, false if it polls
   */
  private synchronized Mailbox boxOfCaller(String container, boolean isRegistration) {
    UnknownExecutor executor = unknownExecutors.get(container);
    if (executor == null && boxes.containsKey(container)) {
      return box(container);
    }
    boolean registered = isRegistration || (executor != null && executor.registered);
    if (executor == null || registered) {
      forgetUnknown(container);
      unknownExecutors.put(
          container,
          new UnknownExecutor(
              registered, container, registered ? MAX_SILENCE_MS : maxRegistrationMillis));
    }
    return box(container);
  }

  private Mailbox box(String container) {
    return boxes.computeIfAbsent(container, name -> new Mailbox(scheduler, writer));
  }

  private void removeSilent(String container, UnknownExecutor executor) {
    Mailbox box;
    synchronized (this) {
      if (unknownExecutors.get(container) != executor) {
        // The executor has just called again.
        return;
      }
      // An unknown executor has a mailbox.
      box = Objects.requireNonNull(remove(container));
    }
    box.stop(container + " is not a container of this job any more", false);
  }

  private synchronized void removeUnknown(String container) {
    if (unknownExecutors.containsKey(container)) {
      remove(container);
    }
  }

  private synchronized @Nullable Mailbox remove(String container) {
    forgetUnknown(container);
    return boxes.remove(container);
  }

  private void forgetUnknown(String container) {
    UnknownExecutor executor = unknownExecutors.remove(container);
    if (executor != null) {
      executor.removal.cancel(false);
    }
  }
}
