package io.tony.container;

import java.time.Duration;

/**
 * How long to wait before YARN is asked again; it tells nobody when something has changed. The wait
 * is short at first and after every change, because more may follow at once. When nothing has
 * changed for a while it doubles each time up to a limit, because the next change may be hours
 * away. For one thread.
 */
public final class LookInterval {
  private final Duration shortest;
  private final Duration soon;
  private final Duration longest;
  private Duration last;
  private Duration waited;

  /**
   * @param shortest the wait after a change
   * @param soon for how long the wait stays so short
   * @param longest what it doubles up to
   */
  public LookInterval(Duration shortest, Duration soon, Duration longest) {
    this.shortest = shortest;
    this.soon = soon;
    this.longest = longest;
    restart();
  }

  /** Something has changed. */
  public void restart() {
    last = shortest;
    waited = Duration.ZERO;
  }

  /** The wait before the next look. */
  public Duration next() {
    if (waited.compareTo(soon) >= 0) {
      Duration twice = last.multipliedBy(2);
      last = twice.compareTo(longest) < 0 ? twice : longest;
    }
    waited = waited.plus(last);
    return last;
  }
}
