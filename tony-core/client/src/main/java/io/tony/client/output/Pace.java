package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Limits how often a recurring message is printed or a query repeated: the interval increases with
 * the time since the first one. Not thread-safe.
 */
public final class Pace {
  private final Duration minInterval;
  private final Duration maxInterval;

  /**
   * Determines how the interval grows: it is the age (time from the first to the latest message)
   * divided by this number, limited to {@code minInterval} … {@code maxInterval}.
   */
  private final int ageDivisor;

  private @Nullable Instant firstAt; // time of the first message; null before it
  private @Nullable Instant lastAt; // time of the latest message; null before the first

  private Pace(Duration minInterval, Duration maxInterval, int ageDivisor) {
    this.minInterval = minInterval;
    this.maxInterval = maxInterval;
    this.ageDivisor = ageDivisor;
  }

  /**
   * Returns the pace of lines for users: the interval grows from 10 s to 10 minutes, so that a
   * night has at most some dozens of lines.
   */
  public static Pace forPeople() {
    return new Pace(Duration.ofSeconds(10), Duration.ofMinutes(10), 10);
  }

  /**
   * Returns the pace of machine-readable lines, for example for a page that draws progress. The
   * interval is a hundredth of the time since the first line, but at least 2 s and at most 10
   * minutes, so that a day has some hundreds of lines.
   */
  static Pace forPrograms() {
    return new Pace(Duration.ofSeconds(2), Duration.ofMinutes(10), 100);
  }

  /**
   * Returns the pace of queries of a queue: from one per minute to one per 10 minutes, because the
   * queries are expensive for YARN.
   */
  public static Pace forQueuePolls() {
    return new Pace(Duration.ofMinutes(1), Duration.ofMinutes(10), 10);
  }

  /** Returns the pace of at most one message per second, however long ago the first one was. */
  static Pace everySecond() {
    return new Pace(Duration.ofSeconds(1), Duration.ofSeconds(1), 1);
  }

  /** Returns whether a message is due; if so, records that it is printed now. */
  public boolean recordIfDue(Instant at) {
    if (!remaining(at).isZero()) {
      return false;
    }
    record(at);
    return true;
  }

  /** Returns the time until the next message is due; zero if it is due. */
  Duration remaining(Instant at) {
    if (firstAt == null || lastAt == null) {
      return Duration.ZERO;
    }
    Duration since = Duration.between(lastAt, at);
    // The time is negative if the clock was set back; then the message is due.
    Duration interval = interval(Duration.between(firstAt, lastAt));
    return since.isNegative() || since.compareTo(interval) >= 0
        ? Duration.ZERO
        : interval.minus(since);
  }

  void record(Instant at) {
    if (firstAt == null) {
      firstAt = at;
    }
    lastAt = at;
  }

  private Duration interval(Duration age) {
    Duration ageShare = age.dividedBy(ageDivisor);
    if (ageShare.compareTo(minInterval) < 0) {
      return minInterval;
    }
    return ageShare.compareTo(maxInterval) > 0 ? maxInterval : ageShare;
  }
}
