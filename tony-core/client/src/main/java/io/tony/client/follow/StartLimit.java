package io.tony.client.follow;

import io.tony.client.output.DurationText;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import java.time.Duration;

/**
 * Maximum time that the first ApplicationMaster of an application may take to start. After that,
 * the client kills the application. Has no effect once an ApplicationMaster has begun the job's
 * event log.
 */
public final class StartLimit {
  /** No limit, for a client that must not kill the application. */
  public static final StartLimit NONE = new StartLimit(Duration.ZERO, Duration.ZERO);

  private final Duration timeout; // zero if there is no limit
  private final long deadline;

  private StartLimit(Duration timeout, Duration waited) {
    this.timeout = timeout;
    this.deadline = AwakeClock.nanoTime() + timeout.minus(waited).toNanos();
  }

  /**
   * Returns the limit from the job's configuration.
   *
   * @param waited time that has passed since YARN accepted the application
   */
  public static StartLimit of(TonyConfig config, Duration waited) {
    return new StartLimit(config.get(AmOptions.STARTUP_TIMEOUT), waited);
  }

  boolean isExpired() {
    return !timeout.isZero() && deadline - AwakeClock.nanoTime() < 0;
  }

  /**
   * Returns {@code wait}, but not more than the time until the limit. Returns {@code wait}
   * unchanged if there is no limit, or it has passed.
   */
  Duration shorten(Duration wait) {
    Duration remaining = Duration.ofNanos(deadline - AwakeClock.nanoTime()).plusMillis(1);
    boolean ends = !timeout.isZero() && !remaining.isNegative() && remaining.compareTo(wait) < 0;
    return ends ? remaining : wait;
  }

  /** Returns the limit as text for users, such as {@code 10m 0s}. */
  String text() {
    return DurationText.format(timeout);
  }
}
