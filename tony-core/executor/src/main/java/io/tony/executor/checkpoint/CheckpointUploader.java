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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Uploads the checkpoints that one program names, from the program's start until all of them are
 * uploaded or given up. One thread reads new lines of the program's checkpoint file twice a second
 * and takes a snapshot of each checkpoint; another thread copies the snapshots to the cluster.
 */
public final class CheckpointUploader implements AutoCloseable {
  private static final long POLL_MS = 500;

  /**
   * Maximum number of consecutive lines that name no checkpoint. After one more, the checkpoint
   * file is no longer read, because the program evidently writes something else into it.
   */
  static final int MAX_STRAY_LINES = 100;

  private final CheckpointPlan.Upload plan;
  private final CheckpointWorkFolders folders;
  private final CopyQueue queue;
  private final UploadReporter reports;
  private final Duration slack;
  private final NamedCheckpointReader lines;
  private final CountDownLatch finishing = new CountDownLatch(1);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  // time of the last checkpoint request, in ms since 1970; 0 if there was none
  private volatile long askedMs;
  // number of the last checkpoint set: the step that the program named or, if it named none, one
  // more than the number before
  private long lastNumber;
  private long snapshotCount;
  private int strayLineCount; // number of lines since the last one that named a checkpoint
  private final Thread thread; // runs poll

  /** Creates an uploader and, when all its other fields are set, starts its thread. */
  private CheckpointUploader(
      CheckpointPlan.Upload plan,
      CheckpointWorkFolders folders,
      CopyQueue queue,
      UploadReporter reports,
      Spawner spawner,
      Duration slack)
      throws IOException {
    this.plan = plan;
    this.folders = folders;
    this.queue = queue;
    this.reports = reports;
    this.slack = slack;
    this.lines = new NamedCheckpointReader(folders.namesFile());
    this.lastNumber = plan.lastNumber();
    this.thread = spawner.startThread("checkpoints", this::poll);
  }

  /**
   * Starts reading the file in which the program names its checkpoints, and uploading these
   * checkpoints.
   *
   * @param checkpoints plan of the task; its {@code upload} must be set
   * @param task the program's task
   * @param folders checkpoint folders of the program
   * @param outcomes receives the outcome of each checkpoint; called on a thread of the uploader
   * @throws IOException if no thread can be started
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

  /**
   * Like the public {@code start}, with another slack.
   *
   * @param slack how long uploading may last beyond the limit of {@link #finish} before {@link
   *     #checkLimit} ends it
   */
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
    CheckpointPlan.Upload plan = Objects.requireNonNull(checkpoints.upload());
    CopyQueue queue = new CopyQueue(checkpoints.folder(), plan, task, store, reports, spawner);
    return new CheckpointUploader(plan, folders, queue, reports, spawner, slack);
  }

  /**
   * Records that the program was asked for a checkpoint. The outcome of each checkpoint that the
   * program names from now on contains this time, until the next request.
   *
   * @param whenMs time of the request, in milliseconds since 1970
   */
  public void recordRequest(long whenMs) {
    askedMs = whenMs;
  }

  /**
   * Must be called when the program has ended: makes the uploader read the checkpoint file for the
   * last time, copy the remaining checkpoints and end. Does not wait for that. May be called again
   * with a shorter limit.
   *
   * @param limit time for copying; checkpoints that are not copied within it are given up
   */
  public void finish(Duration limit) {
    queue.setLimit(limit);
    finishing.countDown();
  }

  /** Returns the time until {@link #checkLimit} must be called again. */
  public Duration untilLimit() {
    return ended.isDone() ? Durations.NO_LIMIT : queue.remaining().plus(slack);
  }

  /**
   * Ends uploading if the limit of {@link #finish} and the slack have passed. Works even if the
   * uploader's thread is blocked in a read.
   */
  public void checkLimit() {
    if (untilLimit().isNegative()) {
      giveUp();
    }
  }

  private void giveUp() {
    try {
      // Reports the remaining checkpoints as given up. Does not wait, because the limit has passed.
      queue.finish();
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
   * Returns a future that completes after {@link #finish}, when every checkpoint is uploaded or
   * given up and its outcome is reported. This is soon after the limit of {@code finish} at the
   * latest, if {@link #checkLimit} is called when {@link #untilLimit} demands it.
   */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  /**
   * Waits until uploading has ended, at the latest at the limit of {@link #finish} plus the slack.
   * Call {@code finish} first.
   */
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

  /** Stops uploading at once. Checkpoints that are not copied yet are not copied any more. */
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

  /**
   * Takes snapshots of the checkpoints in new lines, and queues them for copying.
   *
   * @param finished whether the program has ended, so that all remaining lines must be read now
   */
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
      // Ignored: the program can do anything with the file, and the next poll may succeed.
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

  /**
   * Counts a line that names no checkpoint, and reports it. A checkpoint that cannot be copied is
   * not counted here, because the cluster's file system may recover.
   */
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
