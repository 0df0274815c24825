package io.tony.client.submit;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a deletion of files that earlier jobs have left in the file system, in a background thread,
 * so that this client can follow the new job meanwhile.
 */
final class Cleanup {
  /** Maximum time that a client waits for the deletion before it exits. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  /** A deletion that was not started. */
  static final Cleanup NONE = new Cleanup(null);

  private static final Logger LOG = LoggerFactory.getLogger(Cleanup.class);

  private final @Nullable Thread thread; // null if no thread could be started

  private Cleanup(@Nullable Thread thread) {
    this.thread = thread;
  }

  /**
   * Starts {@code sweep} in a background thread, as the current user. If no thread can be started,
   * nothing is deleted; the client of the next job tries again.
   */
  static Cleanup start(Runnable sweep) {
    try {
      return new Cleanup(Spawner.SYSTEM.startThread("cleanup", sweep));
    } catch (IOException e) {
      LOG.info("What earlier jobs have left is for the next one to delete: {}", e.getMessage());
      return NONE;
    }
  }

  /**
   * Waits for the end of the deletion, at most {@link #MAX_WAIT}. What is not deleted by then is
   * left to the client of the next job.
   */
  void awaitEnd() throws InterruptedException {
    awaitEnd(MAX_WAIT);
  }

  /** Waits at most {@code maxWait} for the end of the deletion; returns whether it has ended. */
  boolean awaitEnd(Duration maxWait) throws InterruptedException {
    if (thread == null) {
      return true;
    }
    thread.join(maxWait.toMillis());
    return !thread.isAlive();
  }
}
