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
  private static final long SILENT_MS = 2 * HeldCall.PATIENCE_MS;

  private final Map<String, Mailbox> boxes = new HashMap<>();
  private final Map<String, Guest> guests = new HashMap<>();
  private final ScheduledExecutorService scheduler;
  private final Executor writer;
  private final long registersWithinMillis;

  /** The owner of a box that no launch and no adoption has made. */
  private static final class Guest {
    final boolean registered;
    ScheduledFuture<?> leaving;

    Guest(boolean registered) {
      this.registered = registered;
    }
  }

  /**
   * Nobody is expected yet.
   *
   * @param scheduler ends the patience of calls; nothing that it does here takes long
   * @param writer writes the starts of tasks, which are long for a large cluster
   * @param registersWithin is for executors that ask before they register
   */
  Mailboxes(ScheduledExecutorService scheduler, Executor writer, Duration registersWithin) {
    this.scheduler = scheduler;
    this.writer = writer;
    this.registersWithinMillis = Math.min(registersWithin.toMillis(), HeldCall.PATIENCE_MS);
  }

  /** The container is about to be launched. */
  void expect(String container) {
    expected(container);
  }

  /** The executor registered. */
  void registered(TaskKey key) {
    ofSpeaker(key.container(), true).registered();
  }

  /** The executor of an earlier ApplicationMaster is to be of this attempt. */
  void adopt(TaskKey key) {
    Mailbox box = expected(key.container());
    box.restart(
        key.task().index(), key.attempt(), "it was told so by an earlier ApplicationMaster", false);
    box.registered();
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

  void askForCheckpoint(TaskKey key, AskForCheckpoint wish) {
    Mailbox box = find(key.container());
    if (box != null) {
      box.askForCheckpoint(key.attempt(), wish);
    }
  }

  /** A question for stacks, or a tunnel. */
  void tellAside(String container, AwaitResponse aside) {
    Mailbox box = find(container);
    if (box != null) {
      box.tellAside(aside);
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
      removeGuest(container);
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
    AwaitResponse answer = ofSpeaker(key.container(), false).await(key, request);
    if (answer != null && answer.hasStop()) {
      removeGuest(key.container());
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
  private synchronized Mailbox expected(String container) {
    removeLeaving(container);
    return box(container);
  }

  /** The box of an executor that says something. */
  private synchronized Mailbox ofSpeaker(String container, boolean registers) {
    Guest guest = guests.get(container);
    if (guest == null && boxes.containsKey(container)) {
      return boxes.get(container);
    }
    boolean registered = registers || (guest != null && guest.registered);
    if (guest == null || registered) {
      removeLeaving(container);
      stayFor(registered ? SILENT_MS : registersWithinMillis, container, new Guest(registered));
    }
    return box(container);
  }

  private Mailbox box(String container) {
    return boxes.computeIfAbsent(container, name -> new Mailbox(scheduler, writer));
  }

  private void stayFor(long millis, String container, Guest guest) {
    guests.put(container, guest);
    guest.leaving =
        scheduler.schedule(() -> leave(container, guest), millis, TimeUnit.MILLISECONDS);
  }

  private void leave(String container, Guest guest) {
    Mailbox box;
    synchronized (this) {
      if (guests.get(container) != guest) {
        return; // it was heard of at this moment
      }
      box = remove(container);
    }
    box.stop(container + " is not a container of this job any more", false);
  }

  private synchronized void removeGuest(String container) {
    if (guests.containsKey(container)) {
      remove(container);
    }
  }

  private synchronized Mailbox remove(String container) {
    removeLeaving(container);
    return boxes.remove(container);
  }

  private void removeLeaving(String container) {
    Guest guest = guests.remove(container);
    if (guest != null) {
      guest.leaving.cancel(false);
    }
  }
}
