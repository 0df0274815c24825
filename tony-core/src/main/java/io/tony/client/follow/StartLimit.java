package io.tony.client.follow;

import io.tony.client.output.DurationText;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import java.time.Duration;

/**
 * Maximum time that the first ApplicationMaster of an application may take to start before the
 * client kills the application. Without effect once an ApplicationMaster has begun the job's log.
 */
public final class StartLimit {
  /** No limit, for a client that leaves the application alone. */
  public static final StartLimit NONE = new StartLimit(Duration.ZERO, Duration.ZERO);

  private final Duration timeout; // zero for no limit
  private final long deadline;

  private StartLimit(Duration timeout, Duration waited) {
    this.timeout = timeout;
    this.deadline = AwakeClock.nanoTime() + timeout.minus(waited).toNanos();
  }

  /**
   * Returns the limit that the job's configuration sets.
   *
   * @param waited time since the application was submitted
   */
  public static StartLimit of(TonyConfig config, Duration waited) {
    return new StartLimit(config.get(AmOptions.STARTUP_TIMEOUT), waited);
  }

  boolean isExpired() {
    return !timeout.isZero() && deadline - AwakeClock.nanoTime() < 0;
  }

  /** Returns the wait, shortened to the remaining time if there is a limit that has not passed. */
  Duration shorten(Duration wait) {
    Duration remaining = Duration.ofNanos(deadline - AwakeClock.nanoTime()).plusMillis(1);
    boolean ends = !timeout.isZero() && !remaining.isNegative() && remaining.compareTo(wait) < 0;
    return ends ? remaining : wait;
  }

  /** Returns the limit as text for users. */
  String text() {
    return DurationText.format(timeout);
  }
}
