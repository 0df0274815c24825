package io.tony.executor.checkpoint;

import io.tony.checkpoint.CopyEnd;
import io.tony.checkpoint.SetName;
import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.rpc.Checkpoints;
import io.tony.executor.rpc.Kept;
import io.tony.model.TaskId;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Keeps what one program names, from its start to its end. A thread looks for new lines twice a
 * second, and takes a snapshot for each, which another one copies.
 */
public final class Keeper implements AutoCloseable {
  private static final long LOOK_MS = 500;

  /** One after the other that name no checkpoint: the program writes something else. */
  static final int MOST_STRAY_LINES = 100;

  private final Checkpoints.Keeping keeping;
  private final LocalFolders folders;
  private final Copies copies;
  private final Telling told;
  private final Duration slack;
  private final NamedLines lines;
  private Thread thread;
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile long askedMs; // when the program was asked for one last; 0 for never
  private long number; // of the last one
  private long snapshots;
  private int strayLines; // since a line that named a checkpoint

  private Keeper(
      Checkpoints.Keeping keeping,
      LocalFolders folders,
      Copies copies,
      Telling told,
      Duration slack) {
    this.keeping = keeping;
    this.folders = folders;
    this.copies = copies;
    this.told = told;
    this.slack = slack;
    this.lines = new NamedLines(folders.named());
    this.number = keeping.counted();
  }

  /**
   * Begins to look for what the program names.
   *
   * @param checkpoints say that the task keeps some
   * @param told gets what became of each, on a thread of this one's
   * @throws IOException when there is no thread to be had
   */
  public static Keeper begin(
      Checkpoints checkpoints,
      TaskId task,
      LocalFolders folders,
      ClusterStore store,
      Consumer<Kept> told,
      Spawner spawner)
      throws IOException {
    return begin(checkpoints, task, folders, store, told, spawner, CopyEnd.SLACK);
  }

  /** {@code slack} is how long after the limit at most it goes on. */
  static Keeper begin(
      Checkpoints checkpoints,
      TaskId task,
      LocalFolders folders,
      ClusterStore store,
      Consumer<Kept> told,
      Spawner spawner,
      Duration slack)
      throws IOException {
    Telling telling = new Telling(told);
    Copies copies = new Copies(checkpoints, task, store, telling, spawner);
    Keeper keeper = new Keeper(checkpoints.keeping(), folders, copies, telling, slack);
    keeper.thread = spawner.thread("checkpoints", keeper::look);
    return keeper;
  }

  /** The program is asked for a checkpoint: what it names from now on may be the answer. */
  public void asked(long whenMs) {
    askedMs = whenMs;
  }

  /**
   * The program has ended: has it look for the last time, and copy what is left. May be called
   * again, with less time.
   *
   * @param limit what is not copied by then is not kept
   */
  public void finish(Duration limit) {
    copies.limit(limit);
    finishing.countDown();
  }

  /** How long nothing can become of {@link #checkLimit}. */
  public Duration untilLimit() {
    return ended.isDone() ? Durations.NO_LIMIT : copies.left().plus(slack);
  }

  /** Ends it where its look hangs, and what waits for this end has waited long enough. */
  public void checkLimit() {
    if (untilLimit().isNegative()) {
      giveUp();
    }
  }

  private void giveUp() {
    try {
      copies.finish(); // the limit is over, so that it waits for nothing
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close();
      end();
    }
  }

  private void end() {
    told.end();
    copies.close();
    ended.complete(null);
  }

  /**
   * Done once it was to finish, and all is kept or given up, and was told; soon after the limit at
   * the latest, provided that {@link #checkLimit} is called then.
   */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  /** Waits for that, however a look hangs. */
  public void awaitEnd() throws InterruptedException {
    while (!ended.isDone()) {
      try {
        Void unused = AwakeClock.await(ended, untilLimit());
      } catch (TimeoutException e) {
        checkLimit();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Ends at once. */
  @Override
  public void close() {
    thread.interrupt();
  }

  private void look() {
    try {
      boolean finished;
      do {
        finished = finishing.await(LOOK_MS, TimeUnit.MILLISECONDS);
        take(finished);
      } while (!finished);
      copies.finish();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end();
    }
  }

  /** At the end, all lines that there are. */
  private void take(boolean finished) {
    try {
      List<Named> next;
      do {
        next = isRead() ? lines.read(finished) : List.of();
        for (Named named : next) {
          if (isRead()) {
            take(named);
          }
        }
      } while (finished && !next.isEmpty() && !Thread.currentThread().isInterrupted());
    } catch (IOException | RuntimeException e) {
      // The file is the program's: what cannot be read now may be at the next look.
    }
  }

  private boolean isRead() {
    return strayLines <= MOST_STRAY_LINES;
  }

  private void take(Named named) {
    number = named.step() != Named.NO_STEP ? named.step() : Math.min(number + 1, SetName.MOST);
    snapshots++;
    SetName set = new SetName(keeping.generation(), number);
    Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
    if (named.refused() != null) {
      stray(new Held(named, set, now, askedMs, null).notKept(named.refused()));
      return;
    }
    Snapshot snapshot;
    try {
      snapshot =
          Snapshot.of(
              FileNames.resolve(folders.workingDirectory(), named.path()),
              folders.links(snapshots));
    } catch (IOException | RuntimeException e) {
      stray(new Held(named, set, now, askedMs, null).notKept(e));
      return;
    }
    strayLines = 0;
    copies.add(new Held(named, set, now, askedMs, snapshot));
  }

  /** A copy that fails does not count: the cluster's file system will be there again. */
  private void stray(Kept notKept) {
    strayLines++;
    if (isRead()) {
      told.accept(notKept);
    } else {
      told.insist(
          notKept.because(
              MOST_STRAY_LINES
                  + " lines one after the other named no checkpoint: TONY_CHECKPOINT_FILE is read"
                  + " no more until the program is started again. Write into it a line for each"
                  + " checkpoint that is finished, and nothing else"));
    }
  }
}
