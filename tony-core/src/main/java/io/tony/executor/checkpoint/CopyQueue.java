package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.CheckpointPlan;
import io.tony.model.TaskId;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Copies checkpoints into the cluster, one after the other, on a thread that begins with the first.
 *
 * <p>Where no other task keeps any, a newer one takes the place of one that waits: the last is what
 * a restart needs. Else all tasks must keep the same ones, so that each is copied, and what comes
 * while {@value #MAX_WAITING} wait is not kept, nor what would make the files that wait more than
 * one checkpoint may have. Thread-safe.
 */
final class CopyQueue {
  static final int MAX_WAITING = 8;

  /** So that any checkpoint may wait alone. What is held of each takes memory. */
  static final int MAX_WAITING_FILES = Snapshot.MAX_FILES;

  private final CheckpointPlan checkpoints;
  private final TaskId task;
  private final ClusterStore store;
  private final Consumer<CheckpointOutcome> outcomes;
  private final Spawner spawner;

  // Guarded by this.
  private Thread thread; // null until the first waits
  private final Deque<PendingCheckpoint> waiting = new ArrayDeque<>();
  private PendingCheckpoint current; // null while none is
  private boolean hasLimit;
  private long limitNanos;

  /**
   * None yet.
   *
   * @param outcomes gets what became of each
   * @param spawner starts the thread
   */
  CopyQueue(
      CheckpointPlan checkpoints,
      TaskId task,
      ClusterStore store,
      Consumer<CheckpointOutcome> outcomes,
      Spawner spawner) {
    this.spawner = spawner;
    this.checkpoints = checkpoints;
    this.task = task;
    this.store = store;
    this.outcomes = outcomes;
  }

  synchronized void add(PendingCheckpoint next) {
    if (checkpoints.upload().taskCount() == 1 && !waiting.isEmpty()) {
      drop(waiting.poll());
    }
    String tooMany = overflowProblem(next);
    if (tooMany != null) {
      drop(next);
      outcomes.accept(next.failedOutcome(tooMany));
      return;
    }
    try {
      if (thread == null) {
        thread = spawner.startThread("checkpoint-copy", this::copyAll);
      }
    } catch (IOException e) {
      drop(next);
      outcomes.accept(next.failedOutcome(e)); // there may be a thread for the next
      return;
    }
    waiting.add(next);
    notifyAll();
  }

  /** Why it cannot wait as well; null where it can. */
  private String overflowProblem(PendingCheckpoint next) {
    if (waiting.size() == MAX_WAITING) {
      return MAX_WAITING
          + " checkpoints wait to be copied already: name them less often, or write smaller ones";
    }
    int before = waiting.stream().mapToInt(pending -> pending.snapshot().files().size()).sum();
    int files = next.snapshot().files().size();
    return before + files <= MAX_WAITING_FILES
        ? null
        : "it has "
            + files
            + " files, and "
            + before
            + " of earlier checkpoints wait to be copied already; at most "
            + MAX_WAITING_FILES
            + " can wait together: name checkpoints less often, or write fewer files";
  }

  /** From now on there is so much time; less than before, if there was a limit. */
  synchronized void setLimit(Duration time) {
    long limit = AwakeClock.nanoTime() + time.toNanos();
    limitNanos = hasLimit && limitNanos - limit < 0 ? limitNanos : limit;
    hasLimit = true;
    notifyAll();
  }

  /** How much of that time is left; {@link Durations#NO_LIMIT} where there is none. */
  synchronized Duration remaining() {
    return hasLimit ? Duration.ofNanos(limitNanos - AwakeClock.nanoTime()) : Durations.NO_LIMIT;
  }

  /** Waits until all are copied, within the limit that there is; gives up what is left then. */
  synchronized void finish() throws InterruptedException {
    while ((current != null || !waiting.isEmpty()) && limitNanos - AwakeClock.nanoTime() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, limitNanos - AwakeClock.nanoTime());
    }
    if (current != null) {
      giveUp(current);
      current = null;
    }
    waiting.forEach(this::giveUp);
    waiting.clear();
  }

  private void giveUp(PendingCheckpoint checkpoint) {
    outcomes.accept(
        checkpoint.failedOutcome(
            "the time to copy it was over (tony.checkpoint.copy-timeout after the program's end;"
                + " tony.task.stop-grace-ms after a stop): raise that limit, or write the last"
                + " checkpoint earlier"));
  }

  synchronized void close() {
    if (thread != null) {
      thread.interrupt();
    }
  }

  // ---- The thread ----

  private void copyAll() {
    try {
      while (true) {
        copy(awaitNext());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized PendingCheckpoint awaitNext() throws InterruptedException {
    while (waiting.isEmpty()) {
      wait();
    }
    current = waiting.poll();
    return current;
  }

  private void copy(PendingCheckpoint next) throws InterruptedException {
    long startNanos = AwakeClock.nanoTime();
    CheckpointOutcome outcome = null;
    try {
      Manifest stored =
          store.upload(
              checkpoints.folder(),
              next.name().toString(),
              next.manifest(task, checkpoints.upload()),
              next.snapshot().files(),
              () -> {
                next.snapshot().requireUnchanged();
                return null;
              });
      boolean isSame = stored.createdAt().equals(next.made());
      if (isSame || next.askedMs() != 0) { // what is kept already may answer a question
        long durationMs = Duration.ofNanos(AwakeClock.nanoTime() - startNanos).toMillis();
        outcome = next.savedOutcome(stored.bytes(), durationMs, uri(next, stored.name()));
      }
    } catch (IOException | RuntimeException e) {
      outcome = next.failedOutcome(e);
    }
    drop(next);
    finishCopy(next, outcome);
  }

  private String uri(PendingCheckpoint checkpoint, String name) {
    return String.join(
        "/",
        checkpoints.folder(),
        checkpoint.name().toString(),
        Manifest.folderOf(task),
        Manifest.DATA,
        name);
  }

  /** {@code news} is null where nobody needs to know. */
  private synchronized void finishCopy(PendingCheckpoint checkpoint, CheckpointOutcome outcome) {
    if (!checkpoint.equals(current)) {
      return; // given up, and told so
    }
    if (outcome != null) {
      outcomes.accept(outcome);
    }
    current = null;
    notifyAll();
  }

  private static void drop(PendingCheckpoint checkpoint) {
    checkpoint.snapshot().delete();
  }
}
