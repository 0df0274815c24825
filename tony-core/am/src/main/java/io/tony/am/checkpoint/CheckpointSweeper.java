package io.tony.am.checkpoint;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes old checkpoints, and does other work in the file system, on its own thread. After a
 * failed deletion, the next sweep tries again.
 */
final class CheckpointSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointSweeper.class);

  /** Minimum time between two sweeps of {@link #sweepIfDue}. */
  static final Duration MIN_INTERVAL = Duration.ofMinutes(1);

  private final FileSystemRetries retries;
  private final Duration shutdownTimeout;
  private final ExecutorService thread = Spawner.SYSTEM.newThreadPool("old-checkpoints", 1);
  private final AtomicBoolean sweepPending = new AtomicBoolean();
  private Instant lastSweep = Instant.EPOCH; // when sweepIfDue last called sweep

  /** Work in the file system, for the sweeper's thread. */
  interface FileSystemTask {
    void run() throws IOException;
  }

  /**
   * {@code shutdownTimeout} is the maximum time that {@link #shutdown} waits. What is not deleted
   * by then is left to the job's next run.
   */
  CheckpointSweeper(FileSystemRetries retries, Duration shutdownTimeout) {
    this.retries = retries;
    this.shutdownTimeout = shutdownTimeout;
  }

  /**
   * Submits {@code sweep}, which deletes old checkpoints. Does nothing if a submitted sweep has not
   * begun yet: that one will do the same work.
   */
  void sweep(FileSystemTask sweep) {
    if (sweepPending.compareAndSet(false, true)) {
      boolean submitted =
          submit(
              () -> {
                sweepPending.set(false);
                sweep.run();
              });
      sweepPending.compareAndSet(!submitted, false);
    }
  }

  /**
   * Like {@link #sweep}, but at most once per {@link #MIN_INTERVAL}, because a sweep lists all
   * folders. What a skipped sweep would have deleted, a later one deletes.
   */
  void sweepIfDue(FileSystemTask sweep, Instant now) {
    if (isDue(now)) {
      sweep(sweep);
    }
  }

  private synchronized boolean isDue(Instant now) {
    boolean due = now.isBefore(lastSweep) || !now.isBefore(lastSweep.plus(MIN_INTERVAL));
    lastSweep = due ? now : lastSweep;
    return due;
  }

  /**
   * Submits the task, to run after those submitted before. Returns false if no thread is available.
   */
  boolean submit(FileSystemTask task) {
    try {
      thread.execute(() -> run(task));
      return true;
    } catch (RejectedExecutionException e) {
      LOG.warn("Old checkpoints stay: {}", e.getMessage());
      return false;
    }
  }

  private void run(FileSystemTask task) {
    try {
      retries.callOnce(
          () -> {
            task.run();
            return true;
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Old checkpoints stay: {}", e.toString());
    }
  }

  /** Accepts no more tasks, and waits up to the timeout for those submitted. */
  void shutdown() throws InterruptedException {
    thread.shutdown();
    if (!thread.awaitTermination(shutdownTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.warn("Some old checkpoints stay: their deletion takes too long");
    }
  }
}
