package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * An ended attempt of a job.
 *
 * @param number number of the attempt, from 0; equals {@code azkaban.job.attempt}
 * @param logFile path of the log file that Azkaban wrote for the attempt; the file does not exist
 *     if the attempt was killed before it started
 */
public record JobAttempt(int number, Status status, Instant start, Instant end, Path logFile) {

  /** Returns the time from start to end; never negative. */
  public Duration duration() {
    Duration between = Duration.between(start, end);
    return between.isNegative() ? Duration.ZERO : between;
  }
}
