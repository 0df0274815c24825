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
import org.jspecify.annotations.Nullable;

/**
 * Queue of one program's checkpoints, of which snapshots were taken and which wait for the upload.
 * A thread that starts with the first checkpoint copies them to the cluster, one after the other.
 *
 * <p>If only this task saves checkpoints, a newer checkpoint replaces a waiting one, because a
 * restart needs only the newest. Otherwise every checkpoint is copied, because a checkpoint set
 * needs a checkpoint of each task; a new one is then rejected if {@value #MAX_WAITING} are waiting,
 * or if the waiting checkpoints would have more than {@link #MAX_WAITING_FILES} files. Thread-safe.
 */
final class CopyQueue {
  static final int MAX_WAITING = 8;

  /**
   * Maximum number of files of all waiting checkpoints together, to limit memory; the same as for a
   * single checkpoint.
   */
  static final int MAX_WAITING_FILES = Snapshot.MAX_FILES;

  private final String folder;
  private final CheckpointPlan.Upload plan;
  private final TaskId task;
  private final ClusterStore store;
  private final Consumer<CheckpointOutcome> outcomes;
  private final Spawner spawner;

  // All fields below are guarded by this.
  private @Nullable Thread thread; // null until the first checkpoint is added
  private final Deque<PendingCheckpoint> waiting = new ArrayDeque<>();
  // checkpoint that is being copied; null if none is
  private @Nullable PendingCheckpoint current;
  private boolean hasLimit;
  private long limitNanos;

  /**
   * Creates an empty queue.
   *
   * @param folder URI of the folder that holds all checkpoint sets
   * @param outcomes receives the outcome of each checkpoint, but not of those that a newer one
   *     replaces
   * @param spawner starts the thread that copies
   */
  CopyQueue(
      String folder,
      CheckpointPlan.Upload plan,
      TaskId task,
      ClusterStore store,
      Consumer<CheckpointOutcome> outcomes,
      Spawner spawner) {
    this.spawner = spawner;
    this.folder = folder;
    this.plan = plan;
    this.task = task;
    this.store = store;
    this.outcomes = outcomes;
  }

  synchronized void add(PendingCheckpoint next) {
    if (plan.taskCount() == 1 && !waiting.isEmpty()) {
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
      // Only this checkpoint fails: a thread may be available again when the next one is added.
      outcomes.accept(next.failedOutcome(e));
      return;
    }
    waiting.add(next);
    notifyAll();
  }

  /** Returns why {@code next} cannot be queued, and the remedy; null if it can be queued. */
  private @Nullable String overflowProblem(PendingCheckpoint next) {
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

  /**
   * Limits the time for copying, from now on. Has no effect if an earlier call has set a limit that
   * ends sooner.
   */
  synchronized void setLimit(Duration time) {
    long limit = AwakeClock.nanoTime() + time.toNanos();
    limitNanos = hasLimit && limitNanos - limit < 0 ? limitNanos : limit;
    hasLimit = true;
    notifyAll();
  }

  /** Returns the time left for copying; {@link Durations#NO_LIMIT} if no limit is set. */
  synchronized Duration remaining() {
    return hasLimit ? Duration.ofNanos(limitNanos - AwakeClock.nanoTime()) : Durations.NO_LIMIT;
  }

  /**
   * Waits until every checkpoint is copied or the limit of {@link #setLimit} has passed. Then
   * reports the checkpoints that are not copied as given up. Call {@code setLimit} first.
   */
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

  // ---- Thread that copies ----

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
              folder,
              next.name().toString(),
              next.manifest(task, plan),
              next.snapshot().files(),
              () -> {
                next.snapshot().requireUnchanged();
                return null;
              });
      boolean isSame = stored.createdAt().equals(next.made());
      // If it is not the same, the set already held another checkpoint of this task, and nothing
      // was saved. The older checkpoint is reported as saved only if a checkpoint was requested.
      if (isSame || next.askedMs() != 0) {
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
        "/", folder, checkpoint.name().toString(), Manifest.folderOf(task), Manifest.DATA, name);
  }

  /**
   * Marks the copy of {@code checkpoint} as finished and reports its outcome, unless the checkpoint
   * was given up meanwhile.
   *
   * @param outcome null if there is nothing to report
   */
  private synchronized void finishCopy(
      PendingCheckpoint checkpoint, @Nullable CheckpointOutcome outcome) {
    if (!checkpoint.equals(current)) {
      return; // finish has given the checkpoint up during the copy and has reported that
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
