package io.tony.client.follow;

import io.tony.client.output.DurationText;
import io.tony.clock.AwakeClock;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import java.time.Duration;

/**
 * How long the first ApplicationMaster of an application may be in coming before its client ends
 * the application. Once one has begun the job's log, no limit holds any more.
 */
public final class StartLimit {
  /** For a client that leaves the application alone. */
  public static final StartLimit NONE = new StartLimit(Duration.ZERO, Duration.ZERO);

  private final Duration timeout; // zero without a limit
  private final long deadline;

  private StartLimit(Duration timeout, Duration waited) {
    this.timeout = timeout;
    this.deadline = AwakeClock.nanoTime() + timeout.minus(waited).toNanos();
  }

  /**
   * The one of a job.
   *
   * @param waited how long ago the application was submitted
   */
  public static StartLimit of(TonyConfig config, Duration waited) {
    return new StartLimit(config.get(AmOptions.STARTUP_TIMEOUT), waited);
  }

  boolean isExpired() {
    return !timeout.isZero() && deadline - AwakeClock.nanoTime() < 0;
  }

  /** A wait that does not go beyond the limit, as long as that is not over. */
  Duration shorten(Duration wait) {
    Duration remaining = Duration.ofNanos(deadline - AwakeClock.nanoTime()).plusMillis(1);
    boolean ends = !timeout.isZero() && !remaining.isNegative() && remaining.compareTo(wait) < 0;
    return ends ? remaining : wait;
  }

  /** How long it is, for a person. */
  String text() {
    return DurationText.format(timeout);
  }
}
