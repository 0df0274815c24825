package io.tony.am.checkpoint;

import java.time.Duration;

/**
 * How long a job waits for the file system of its checkpoints.
 *
 * @param retryTimeout where a start asks
 * @param retryDelay before it is asked again
 * @param deletionTimeout when the job has ended: what takes longer is left to its next start
 */
record CheckpointTimeouts(Duration retryTimeout, Duration retryDelay, Duration deletionTimeout) {
  static final CheckpointTimeouts DEFAULT =
      new CheckpointTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofMinutes(1));
}
