package io.tony.executor.checkpoint;

import io.tony.checkpoint.Manifest;
import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.rpc.Checkpoints;
import io.tony.executor.rpc.Kept;
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
 * while {@value #MOST_WAITING} wait is not kept, nor what would make the files that wait more than
 * one checkpoint may have. Thread-safe.
 */
final class Copies {
  static final int MOST_WAITING = 8;

  /** So that any checkpoint may wait alone. What is held of each takes memory. */
  static final int MOST_WAITING_FILES = Snapshot.MOST_FILES;

  private final Checkpoints checkpoints;
  private final TaskId task;
  private final ClusterStore store;
  private final Consumer<Kept> told;
  private final Spawner spawner;

  // Guarded by this.
  private Thread thread; // null until the first waits
  private final Deque<Held> waiting = new ArrayDeque<>();
  private Held copied; // null while none is
  private boolean limited;
  private long limitNanos;

  /**
   * None yet.
   *
   * @param told gets what became of each
   * @param spawner starts the thread
   */
  Copies(
      Checkpoints checkpoints,
      TaskId task,
      ClusterStore store,
      Consumer<Kept> told,
      Spawner spawner) {
    this.spawner = spawner;
    this.checkpoints = checkpoints;
    this.task = task;
    this.store = store;
    this.told = told;
  }

  synchronized void add(Held next) {
    if (checkpoints.keeping().tasks() == 1 && !waiting.isEmpty()) {
      drop(waiting.poll());
    }
    String tooMany = tooManyWith(next);
    if (tooMany != null) {
      drop(next);
      told.accept(next.notKept(tooMany));
      return;
    }
    try {
      if (thread == null) {
        thread = spawner.thread("checkpoint-copy", this::copyAll);
      }
    } catch (IOException e) {
      drop(next);
      told.accept(next.notKept(e)); // there may be a thread for the next
      return;
    }
    waiting.add(next);
    notifyAll();
  }

  /** Why it cannot wait as well; null where it can. */
  private String tooManyWith(Held next) {
    if (waiting.size() == MOST_WAITING) {
      return MOST_WAITING
          + " checkpoints wait to be copied already: name them less often, or write smaller ones";
    }
    int before = waiting.stream().mapToInt(held -> held.snapshot().files().size()).sum();
    int files = next.snapshot().files().size();
    return before + files <= MOST_WAITING_FILES
        ? null
        : "it has "
            + files
            + " files, and "
            + before
            + " of earlier checkpoints wait to be copied already; at most "
            + MOST_WAITING_FILES
            + " can wait together: name checkpoints less often, or write fewer files";
  }

  /** From now on there is so much time; less than before, if there was a limit. */
  synchronized void limit(Duration time) {
    long limit = AwakeClock.nanoTime() + time.toNanos();
    limitNanos = limited && limitNanos - limit < 0 ? limitNanos : limit;
    limited = true;
    notifyAll();
  }

  /** How much of that time is left; {@link Durations#NO_LIMIT} where there is none. */
  synchronized Duration left() {
    return limited ? Duration.ofNanos(limitNanos - AwakeClock.nanoTime()) : Durations.NO_LIMIT;
  }

  /** Waits until all are copied, within the limit that there is; gives up what is left then. */
  synchronized void finish() throws InterruptedException {
    while ((copied != null || !waiting.isEmpty()) && limitNanos - AwakeClock.nanoTime() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, limitNanos - AwakeClock.nanoTime());
    }
    if (copied != null) {
      giveUp(copied);
      copied = null;
    }
    waiting.forEach(this::giveUp);
    waiting.clear();
  }

  private void giveUp(Held left) {
    told.accept(
        left.notKept(
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

  private synchronized Held awaitNext() throws InterruptedException {
    while (waiting.isEmpty()) {
      wait();
    }
    copied = waiting.poll();
    return copied;
  }

  private void copy(Held next) throws InterruptedException {
    long begun = AwakeClock.nanoTime();
    Kept news = null;
    try {
      Manifest kept =
          store.keep(
              checkpoints.folder(),
              next.set().toString(),
              next.manifest(task, checkpoints.keeping()),
              next.snapshot().files(),
              () -> {
                next.snapshot().requireUnchanged();
                return null;
              });
      boolean isThisOne = kept.made().equals(next.made());
      if (isThisOne || next.askedMs() != 0) { // what is kept already may answer a question
        long took = Duration.ofNanos(AwakeClock.nanoTime() - begun).toMillis();
        news = next.kept(kept.bytes(), took, uri(next, kept.name()));
      }
    } catch (IOException | RuntimeException e) {
      news = next.notKept(e);
    }
    drop(next);
    done(next, news);
  }

  private String uri(Held kept, String name) {
    return String.join(
        "/",
        checkpoints.folder(),
        kept.set().toString(),
        Manifest.folderOf(task),
        Manifest.DATA,
        name);
  }

  /** {@code news} is null where nobody needs to know. */
  private synchronized void done(Held one, Kept news) {
    if (!one.equals(copied)) {
      return; // given up, and told so
    }
    if (news != null) {
      told.accept(news);
    }
    copied = null;
    notifyAll();
  }

  private static void drop(Held one) {
    one.snapshot().delete();
  }
}
