package io.tony.container;

import java.time.Duration;

/**
 * Computes how long to wait between two polls of YARN, which does not notify clients of changes.
 * The interval is short at first and after each change, because further changes may follow soon.
 * Later it is a tenth of the total wait since the last change, up to a maximum. Not thread-safe.
 */
public final class PollInterval {
  private final Duration minInterval;
  private final Duration fastPeriod;
  private final Duration maxInterval;
  private Duration waited;

  /**
   * Creates an instance whose first interval is {@code minInterval}.
   *
   * @param minInterval interval after a change
   * @param fastPeriod how long after a change the interval stays at {@code minInterval}
   * @param maxInterval upper limit of the interval
   */
  public PollInterval(Duration minInterval, Duration fastPeriod, Duration maxInterval) {
    this.minInterval = minInterval;
    this.fastPeriod = fastPeriod;
    this.maxInterval = maxInterval;
    reset();
  }

  /** Restarts with the short interval; to be called after a change. */
  public void reset() {
    waited = Duration.ZERO;
  }

  /** Returns how long to wait before the next poll, and counts this time as waited. */
  public Duration next() {
    Duration next = minInterval;
    Duration tenth = waited.dividedBy(10);
    if (waited.compareTo(fastPeriod) >= 0 && tenth.compareTo(minInterval) > 0) {
      next = tenth.compareTo(maxInterval) < 0 ? tenth : maxInterval;
    }
    waited = waited.plus(next);
    return next;
  }
}
