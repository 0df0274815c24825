package io.tony.client.submit;

import java.time.Duration;

/**
 * The deletion of what earlier jobs have left, beside the following of the job: a file system that
 * is slow, or much to delete, must not keep a client from its job.
 */
final class Cleanup {
  /** How long the end of a client waits for it. */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final Thread thread;

  private Cleanup(Runnable sweep) {
    thread = new Thread(sweep, "cleanup");
    thread.setDaemon(true);
  }

  /** Begins it as the current user; returns at once. */
  static Cleanup begin(Runnable sweep) {
    Cleanup cleanup = new Cleanup(sweep);
    cleanup.thread.start();
    return cleanup;
  }

  /** Waits for its end for a few seconds; the next job deletes what is left then. */
  void end() throws InterruptedException {
    end(LIMIT);
  }

  /** Returns whether it has ended. */
  boolean end(Duration limit) throws InterruptedException {
    thread.join(limit.toMillis());
    return !thread.isAlive();
  }
}
