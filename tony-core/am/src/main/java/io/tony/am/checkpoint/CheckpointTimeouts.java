package io.tony.am.checkpoint;

import java.time.Duration;

/**
 * Timeouts for access to the file system that contains the checkpoints.
 *
 * @param retryTimeout how long the start of a task retries before it continues without a checkpoint
 * @param retryDelay pause between two tries
 * @param deletionTimeout how long the end of the job waits for deletions; what is left is deleted
 *     by the job's next run
 */
record CheckpointTimeouts(Duration retryTimeout, Duration retryDelay, Duration deletionTimeout) {
  static final CheckpointTimeouts DEFAULT =
      new CheckpointTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofMinutes(1));
}
