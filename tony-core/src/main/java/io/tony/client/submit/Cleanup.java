package io.tony.client.submit;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what earlier jobs have left, in a thread of its own, so that a slow file system or much
 * to delete does not delay following the job.
 */
final class Cleanup {
  /** Maximum time that a client waits at its end for the deletion. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Cleanup.class);

  private final Thread thread; // null if no thread could be started

  private Cleanup(Thread thread) {
    this.thread = thread;
  }

  /**
   * Starts the deletion as the current user, without waiting. If no thread can be started, the
   * deletion is left to the next job.
   */
  static Cleanup start(Runnable sweep) {
    try {
      return new Cleanup(Spawner.SYSTEM.startThread("cleanup", sweep));
    } catch (IOException e) {
      LOG.info("What earlier jobs have left is for the next one to delete: {}", e.getMessage());
      return new Cleanup(null);
    }
  }

  /** Waits a few seconds for the deletion to end. What is left then is deleted by the next job. */
  void awaitEnd() throws InterruptedException {
    awaitEnd(MAX_WAIT);
  }

  /** Waits for the deletion to end; returns whether it has ended. */
  boolean awaitEnd(Duration maxWait) throws InterruptedException {
    if (thread == null) {
      return true;
    }
    thread.join(maxWait.toMillis());
    return !thread.isAlive();
  }
}
