package io.tony.am.rpc;

import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.AskForCheckpoint;
import io.tony.protocol.proto.TonyProtos.AwaitRequest;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What each executor is to be told: one box for each container, because an executor lives on from
 * attempt to attempt. A command that comes before its executor asks is kept; an executor that asks
 * before there is a command is held. The box is there from the launch of the container, or from its
 * adoption, to its end: what is to be told to a container that has ended is told to nobody.
 *
 * <p>An executor that nobody here has heard of may only be faster with its question than with its
 * registration, when it comes from an earlier ApplicationMaster: it is a guest, its call is held as
 * well, and answered when it registers. One that does not register while the call is held is told
 * to stop: its container is no longer the job's. A guest's box is made by what the guest says,
 * never by a command, and goes when the guest is told to stop or is silent.
 */
final class Mailboxes {
  /** A guest that registered asks again when the patience of its call has ended. */
  private static final long MAX_SILENCE_MS = 2 * HeldCall.MAX_HOLD_MS;

  private final Map<String, Mailbox> boxes = new HashMap<>();
  private final Map<String, UnknownExecutor> unknownExecutors = new HashMap<>();
  private final ScheduledExecutorService scheduler;
  private final Executor writer;
  private final long maxRegistrationMillis;

  /** The owner of a box that no launch and no adoption has made. */
  private static final class UnknownExecutor {
    final boolean registered;
    ScheduledFuture<?> removal;

    UnknownExecutor(boolean registered) {
      this.registered = registered;
    }
  }

  /**
   * Nobody is expected yet.
   *
   * @param scheduler ends the patience of calls; nothing that it does here takes long
   * @param writer writes the starts of tasks, which are long for a large cluster
   * @param maxRegistrationWait is for executors that ask before they register
   */
  Mailboxes(ScheduledExecutorService scheduler, Executor writer, Duration maxRegistrationWait) {
    this.scheduler = scheduler;
    this.writer = writer;
    this.maxRegistrationMillis = Math.min(maxRegistrationWait.toMillis(), HeldCall.MAX_HOLD_MS);
  }

  /** The container is about to be launched. */
  void expect(String container) {
    expectedBox(container);
  }

  /** The executor registered. */
  void markRegistered(TaskKey key) {
    boxOfCaller(key.container(), true).markRegistered();
  }

  /** The executor of an earlier ApplicationMaster is to be of this attempt. */
  void adopt(TaskKey key) {
    Mailbox box = expectedBox(key.container());
    box.restart(
        key.task().index(), key.attempt(), "it was told so by an earlier ApplicationMaster", false);
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

  void askForCheckpoint(TaskKey key, AskForCheckpoint request) {
    Mailbox box = find(key.container());
    if (box != null) {
      box.askForCheckpoint(key.attempt(), request);
    }
  }

  /** A question for stacks, or a tunnel. */
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

  /** The container has ended; were its executor alive all the same, it would be told to stop. */
  void forget(String container) {
    Mailbox box = remove(container);
    if (box != null) {
      box.stop("its container has ended", false);
    }
  }

  /** The answer, or null when the call is held. */
  AwaitResponse await(TaskKey key, AwaitRequest request) {
    AwaitResponse answer = boxOfCaller(key.container(), false).await(key, request);
    if (answer != null && answer.hasStop()) {
      removeUnknown(key.container());
    }
    return answer;
  }

  synchronized int size() {
    return boxes.size();
  }

  private synchronized Mailbox find(String container) {
    return boxes.get(container);
  }

  /** The box of a container that is the job's, until it ends. */
  private synchronized Mailbox expectedBox(String container) {
    forgetUnknown(container);
    return box(container);
  }

  /** The box of an executor that says something. */
  private synchronized Mailbox boxOfCaller(String container, boolean isRegistration) {
    UnknownExecutor executor = unknownExecutors.get(container);
    if (executor == null && boxes.containsKey(container)) {
      return boxes.get(container);
    }
    boolean registered = isRegistration || (executor != null && executor.registered);
    if (executor == null || registered) {
      forgetUnknown(container);
      scheduleRemoval(
          registered ? MAX_SILENCE_MS : maxRegistrationMillis,
          container,
          new UnknownExecutor(registered));
    }
    return box(container);
  }

  private Mailbox box(String container) {
    return boxes.computeIfAbsent(container, name -> new Mailbox(scheduler, writer));
  }

  private void scheduleRemoval(long millis, String container, UnknownExecutor executor) {
    unknownExecutors.put(container, executor);
    executor.removal =
        scheduler.schedule(() -> removeSilent(container, executor), millis, TimeUnit.MILLISECONDS);
  }

  private void removeSilent(String container, UnknownExecutor executor) {
    Mailbox box;
    synchronized (this) {
      if (unknownExecutors.get(container) != executor) {
        return; // it was heard of at this moment
      }
      box = remove(container);
    }
    box.stop(container + " is not a container of this job any more", false);
  }

  private synchronized void removeUnknown(String container) {
    if (unknownExecutors.containsKey(container)) {
      remove(container);
    }
  }

  private synchronized Mailbox remove(String container) {
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
