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
final class Sweeper {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  /** Between those at times. */
  static final Duration PAUSE = Duration.ofMinutes(1);

  private final Patience patience;
  private final Duration last;
  private final ExecutorService thread = Spawner.SYSTEM.pool("old-checkpoints", 1);
  private final AtomicBoolean waits = new AtomicBoolean();
  private Instant swept = Instant.EPOCH; // at times

  /** What is to be done in the file system. */
  interface Task {
    void run() throws IOException;
  }

  /** {@code last}: what takes longer when the job has ended is left to its next start. */
  Sweeper(Patience patience, Duration last) {
    this.patience = patience;
    this.last = last;
  }

  /** A sweep that has not begun does what another one would. */
  void sweep(Task sweep) {
    if (waits.compareAndSet(false, true)) {
      boolean begun =
          begin(
              () -> {
                waits.set(false);
                sweep.run();
              });
      waits.compareAndSet(!begun, false);
    }
  }

  /**
   * The same where it was not so of late: what it leaves out is done by the next. All folders are
   * listed for it.
   */
  void sweepAtTimes(Task sweep, Instant now) {
    if (isDue(now)) {
      sweep(sweep);
    }
  }

  private synchronized boolean isDue(Instant now) {
    boolean due = now.isBefore(swept) || !now.isBefore(swept.plus(PAUSE));
    swept = due ? now : swept;
    return due;
  }

  /** Does it after what was begun before. False where there is no thread for it. */
  boolean begin(Task task) {
    try {
      thread.execute(() -> run(task));
      return true;
    } catch (RejectedExecutionException e) {
      LOG.warn("Old checkpoints stay: {}", e.getMessage());
      return false;
    }
  }

  private void run(Task task) {
    try {
      patience.askOnce(
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
  void rest() throws InterruptedException {
    thread.shutdown();
    if (!thread.awaitTermination(last.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.warn("Some old checkpoints stay: their deletion takes too long");
    }
  }
}
