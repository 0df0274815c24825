package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * One attempt of a job that has ended.
 *
 * @param number counted from 0, as {@code azkaban.job.attempt}
 * @param logFile the path of Azkaban's log of the attempt; the file does not exist if the attempt
 *     was killed before it started
 */
public record JobAttempt(int number, Status status, Instant start, Instant end, Path logFile) {

  /** Time from start to end, never negative. */
  public Duration duration() {
    Duration between = Duration.between(start, end);
    return between.isNegative() ? Duration.ZERO : between;
  }
}
