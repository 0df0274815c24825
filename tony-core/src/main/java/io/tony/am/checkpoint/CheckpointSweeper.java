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

/** Lets old checkpoints go, on a thread of its own. What fails is done by the next time. */
final class CheckpointSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointSweeper.class);

  /** Between those at times. */
  static final Duration MIN_INTERVAL = Duration.ofMinutes(1);

  private final FileSystemRetries retries;
  private final Duration shutdownTimeout;
  private final ExecutorService thread = Spawner.SYSTEM.newThreadPool("old-checkpoints", 1);
  private final AtomicBoolean sweepPending = new AtomicBoolean();
  private Instant lastSweep = Instant.EPOCH; // at times

  /** What is to be done in the file system. */
  interface FileSystemTask {
    void run() throws IOException;
  }

  /** {@code last}: what takes longer when the job has ended is left to its next start. */
  CheckpointSweeper(FileSystemRetries retries, Duration shutdownTimeout) {
    this.retries = retries;
    this.shutdownTimeout = shutdownTimeout;
  }

  /** A sweep that has not begun does what another one would. */
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
   * The same where it was not so of late: what it leaves out is done by the next. All folders are
   * listed for it.
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

  /** Does it after what was begun before. False where there is no thread for it. */
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
            return null;
          });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Old checkpoints stay: {}", e.toString());
    }
  }

  /** Nothing more is begun; waits for what was. */
  void shutdown() throws InterruptedException {
    thread.shutdown();
    if (!thread.awaitTermination(shutdownTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.warn("Some old checkpoints stay: their deletion takes too long");
    }
  }
}
