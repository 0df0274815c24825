package io.tony.container;

import java.time.Duration;

/**
 * How long to wait before YARN is asked again; it tells nobody when something has changed. The wait
 * is short at first and after every change, because more may follow at once. When nothing has
 * changed for a while it grows to a tenth of that while, up to a limit: the next change may be
 * hours away, and is seen a tenth late at most. For one thread.
 */
public final class PollInterval {
  private final Duration minInterval;
  private final Duration fastPeriod;
  private final Duration maxInterval;
  private Duration waited;

  /**
   * @param minInterval the wait after a change
   * @param fastPeriod for how long the wait stays so short
   * @param maxInterval what it grows up to
   */
  public PollInterval(Duration minInterval, Duration fastPeriod, Duration maxInterval) {
    this.minInterval = minInterval;
    this.fastPeriod = fastPeriod;
    this.maxInterval = maxInterval;
    reset();
  }

  /** Something has changed. */
  public void reset() {
    waited = Duration.ZERO;
  }

  /** The wait before the next look. */
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
