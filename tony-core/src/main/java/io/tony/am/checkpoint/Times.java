package io.tony.am.checkpoint;

import java.time.Duration;

/**
 * How long a job waits for the file system of its checkpoints.
 *
 * @param patience where a start asks
 * @param pause before it is asked again
 * @param deletion when the job has ended: what takes longer is left to its next start
 */
record Times(Duration patience, Duration pause, Duration deletion) {
  static final Times OF_A_JOB =
      new Times(Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofMinutes(1));
}
