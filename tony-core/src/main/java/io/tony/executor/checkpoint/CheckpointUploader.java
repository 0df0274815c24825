package io.tony.executor.checkpoint;

import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.CopyDeadline;
import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.rpc.CheckpointOutcome;
import io.tony.executor.rpc.CheckpointPlan;
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
public final class CheckpointUploader implements AutoCloseable {
  private static final long POLL_MS = 500;

  /** One after the other that name no checkpoint: the program writes something else. */
  static final int MAX_STRAY_LINES = 100;

  private final CheckpointPlan.Upload plan;
  private final CheckpointWorkFolders folders;
  private final CopyQueue queue;
  private final UploadReporter reports;
  private final Duration slack;
  private final NamedCheckpointReader lines;
  private Thread thread;
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile long askedMs; // when the program was asked for one last; 0 for never
  private long lastNumber; // of the last one
  private long snapshotCount;
  private int strayLineCount; // since a line that named a checkpoint

  private CheckpointUploader(
      CheckpointPlan.Upload plan,
      CheckpointWorkFolders folders,
      CopyQueue queue,
      UploadReporter reports,
      Duration slack) {
    this.plan = plan;
    this.folders = folders;
    this.queue = queue;
    this.reports = reports;
    this.slack = slack;
    this.lines = new NamedCheckpointReader(folders.namesFile());
    this.lastNumber = plan.lastNumber();
  }

  /**
   * Begins to look for what the program names.
   *
   * @param checkpoints say that the task keeps some
   * @param outcomes gets what became of each, on a thread of this one's
   * @throws IOException when there is no thread to be had
   */
  public static CheckpointUploader start(
      CheckpointPlan checkpoints,
      TaskId task,
      CheckpointWorkFolders folders,
      ClusterStore store,
      Consumer<CheckpointOutcome> outcomes,
      Spawner spawner)
      throws IOException {
    return start(checkpoints, task, folders, store, outcomes, spawner, CopyDeadline.SLACK);
  }

  /** {@code slack} is how long after the limit at most it goes on. */
  static CheckpointUploader start(
      CheckpointPlan checkpoints,
      TaskId task,
      CheckpointWorkFolders folders,
      ClusterStore store,
      Consumer<CheckpointOutcome> outcomes,
      Spawner spawner,
      Duration slack)
      throws IOException {
    UploadReporter reports = new UploadReporter(outcomes);
    CopyQueue queue = new CopyQueue(checkpoints, task, store, reports, spawner);
    CheckpointUploader uploader =
        new CheckpointUploader(checkpoints.upload(), folders, queue, reports, slack);
    uploader.thread = spawner.startThread("checkpoints", uploader::poll);
    return uploader;
  }

  /** The program is asked for a checkpoint: what it names from now on may be the answer. */
  public void checkpointAsked(long whenMs) {
    askedMs = whenMs;
  }

  /**
   * The program has ended: has it look for the last time, and copy what is left. May be called
   * again, with less time.
   *
   * @param limit what is not copied by then is not kept
   */
  public void finish(Duration limit) {
    queue.setLimit(limit);
    finishing.countDown();
  }

  /** How long nothing can become of {@link #checkLimit}. */
  public Duration untilLimit() {
    return ended.isDone() ? Durations.NO_LIMIT : queue.remaining().plus(slack);
  }

  /** Ends it where its look hangs, and what waits for this end has waited long enough. */
  public void checkLimit() {
    if (untilLimit().isNegative()) {
      giveUp();
    }
  }

  private void giveUp() {
    try {
      queue.finish(); // the limit is over, so that it waits for nothing
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close();
      end();
    }
  }

  private void end() {
    reports.end();
    queue.close();
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

  private void poll() {
    try {
      boolean finished;
      do {
        finished = finishing.await(POLL_MS, TimeUnit.MILLISECONDS);
        process(finished);
      } while (!finished);
      queue.finish();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end();
    }
  }

  /** At the end, all lines that there are. */
  private void process(boolean finished) {
    try {
      List<NamedCheckpoint> next;
      do {
        next = isReading() ? lines.read(finished) : List.of();
        for (NamedCheckpoint named : next) {
          if (isReading()) {
            process(named);
          }
        }
      } while (finished && !next.isEmpty() && !Thread.currentThread().isInterrupted());
    } catch (IOException | RuntimeException e) {
      // The file is the program's: what cannot be read now may be at the next look.
    }
  }

  private boolean isReading() {
    return strayLineCount <= MAX_STRAY_LINES;
  }

  private void process(NamedCheckpoint named) {
    lastNumber =
        named.step() != NamedCheckpoint.NO_STEP
            ? named.step()
            : Math.min(lastNumber + 1, CheckpointName.MAX_NUMBER);
    snapshotCount++;
    CheckpointName name = new CheckpointName(plan.generation(), lastNumber);
    Instant now = Instant.ofEpochMilli(System.currentTimeMillis());
    if (named.problem() != null) {
      reportStray(
          new PendingCheckpoint(named, name, now, askedMs, null).failedOutcome(named.problem()));
      return;
    }
    Snapshot snapshot;
    try {
      snapshot =
          Snapshot.of(
              FileNames.resolve(folders.workingDirectory(), named.path()),
              folders.links(snapshotCount));
    } catch (IOException | RuntimeException e) {
      reportStray(new PendingCheckpoint(named, name, now, askedMs, null).failedOutcome(e));
      return;
    }
    strayLineCount = 0;
    queue.add(new PendingCheckpoint(named, name, now, askedMs, snapshot));
  }

  /** A copy that fails does not count: the cluster's file system will be there again. */
  private void reportStray(CheckpointOutcome outcome) {
    strayLineCount++;
    if (isReading()) {
      reports.accept(outcome);
    } else {
      reports.acceptAlways(
          outcome.withProblem(
              MAX_STRAY_LINES
                  + " lines one after the other named no checkpoint: TONY_CHECKPOINT_FILE is read"
                  + " no more until the program is started again. Write into it a line for each"
                  + " checkpoint that is finished, and nothing else"));
    }
  }
}
