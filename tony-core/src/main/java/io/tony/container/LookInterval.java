package io.tony.container;

import java.time.Duration;

/**
 * How long to wait before YARN is asked again; it tells nobody when something has changed. The wait
 * is short at first and after every change, because more may follow at once. When nothing has
 * changed for a while it grows to a tenth of that while, up to a limit: the next change may be
 * hours away, and is seen a tenth late at most. For one thread.
 */
public final class LookInterval {
  private final Duration shortest;
  private final Duration soon;
  private final Duration longest;
  private Duration waited;

  /**
   * @param shortest the wait after a change
   * @param soon for how long the wait stays so short
   * @param longest what it grows up to
   */
  public LookInterval(Duration shortest, Duration soon, Duration longest) {
    this.shortest = shortest;
    this.soon = soon;
    this.longest = longest;
    restart();
  }

  /** Something has changed. */
  public void restart() {
    waited = Duration.ZERO;
  }

  /** The wait before the next look. */
  public Duration next() {
    Duration next = shortest;
    Duration tenth = waited.dividedBy(10);
    if (waited.compareTo(soon) >= 0 && tenth.compareTo(shortest) > 0) {
      next = tenth.compareTo(longest) < 0 ? tenth : longest;
    }
    waited = waited.plus(next);
    return next;
  }
}
