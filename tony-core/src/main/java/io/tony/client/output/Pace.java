package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;

/**
 * Limits how often a recurring message is printed or a query repeated: the interval increases with
 * the time since the first one. Not thread-safe.
 */
public final class Pace {
  private final Duration minInterval;
  private final Duration maxInterval;

  /**
   * The interval until the next message is the time from the first to the last message, divided by
   * this number, but within the minimum and maximum.
   */
  private final int ageDivisor;

  private Instant firstAt;
  private Instant lastAt;

  private Pace(Duration minInterval, Duration maxInterval, int ageDivisor) {
    this.minInterval = minInterval;
    this.maxInterval = maxInterval;
    this.ageDivisor = ageDivisor;
  }

  /** Returns the pace of lines for users: at most some dozens of lines per night. */
  public static Pace forPeople() {
    return new Pace(Duration.ofSeconds(10), Duration.ofMinutes(10), 10);
  }

  /**
   * Returns the pace of machine-readable lines, for example for a page that draws progress. The
   * delay is at most a hundredth of the job's age (at least 2 s, at most 10 minutes), which means
   * some hundreds of lines per day.
   */
  static Pace forPrograms() {
    return new Pace(Duration.ofSeconds(2), Duration.ofMinutes(10), 100);
  }

  /** Returns the pace for queries of a queue, which are expensive for YARN. */
  public static Pace forQueuePolls() {
    return new Pace(Duration.ofMinutes(1), Duration.ofMinutes(10), 10);
  }

  /** Returns the pace of at most one line per second, whatever the age. */
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
    if (lastAt == null) {
      return Duration.ZERO;
    }
    Duration since = Duration.between(lastAt, at);
    // The time is negative if the clock was set back; then the message is due.
    return since.isNegative() || since.compareTo(interval()) >= 0
        ? Duration.ZERO
        : interval().minus(since);
  }

  void record(Instant at) {
    if (firstAt == null) {
      firstAt = at;
    }
    lastAt = at;
  }

  private Duration interval() {
    Duration ageShare = Duration.between(firstAt, lastAt).dividedBy(ageDivisor);
    if (ageShare.compareTo(minInterval) < 0) {
      return minInterval;
    }
    return ageShare.compareTo(maxInterval) > 0 ? maxInterval : ageShare;
  }
}
