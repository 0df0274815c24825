package io.tony.client.submit;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The deletion of what earlier jobs have left, beside the following of the job: a file system that
 * is slow, or much to delete, must not keep a client from its job.
 */
final class Cleanup {
  /** How long the end of a client waits for it. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(Cleanup.class);

  private final Thread thread; // null where there is none to be had

  private Cleanup(Thread thread) {
    this.thread = thread;
  }

  /** Begins it as the current user; returns at once. */
  static Cleanup start(Runnable sweep) {
    try {
      return new Cleanup(Spawner.SYSTEM.startThread("cleanup", sweep));
    } catch (IOException e) {
      LOG.info("What earlier jobs have left is for the next one to delete: {}", e.getMessage());
      return new Cleanup(null);
    }
  }

  /** Waits for its end for a few seconds; the next job deletes what is left then. */
  void awaitEnd() throws InterruptedException {
    awaitEnd(MAX_WAIT);
  }

  /** Returns whether it has ended. */
  boolean awaitEnd(Duration maxWait) throws InterruptedException {
    if (thread == null) {
      return true;
    }
    thread.join(maxWait.toMillis());
    return !thread.isAlive();
  }
}
