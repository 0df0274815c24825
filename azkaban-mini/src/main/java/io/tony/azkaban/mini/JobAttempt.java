package io.tony.azkaban.mini;

import azkaban.executor.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * One attempt of a job that has ended.
 *
 * @param number counted from 0, as {@code azkaban.job.attempt}
 * @param logFile where Azkaban wrote its log; absent from the disk when the attempt was killed
 *     before it started
 */
public record JobAttempt(int number, Status status, Instant start, Instant end, Path logFile) {

  /** From start to end, never negative. */
  public Duration duration() {
    Duration between = Duration.between(start, end);
    return between.isNegative() ? Duration.ZERO : between;
  }
}
