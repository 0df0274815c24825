package io.tony.am.checkpoint;

import java.time.Duration;

/**
 * Timeouts for the file system that holds the checkpoints.
 *
 * @param retryTimeout how long a start retries before it continues without a checkpoint
 * @param retryDelay pause between two tries
 * @param deletionTimeout how long the job's end waits for deletions; the rest is left to the job's
 *     next run
 */
record CheckpointTimeouts(Duration retryTimeout, Duration retryDelay, Duration deletionTimeout) {
  static final CheckpointTimeouts DEFAULT =
      new CheckpointTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofMinutes(1));
}
