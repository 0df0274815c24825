package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;

/**
 * Limits how often a recurring message is printed: often at first, and less often the longer it
 * recurs. Not thread-safe.
 */
public final class Pace {
  private final Duration minInterval;
  private final Duration maxInterval;

  /** The interval is the time since the first message divided by this number, within the limits. */
  private final int ageDivisor;

  private Instant firstAt;
  private Instant lastAt;

  private Pace(Duration minInterval, Duration maxInterval, int ageDivisor) {
    this.minInterval = minInterval;
    this.maxInterval = maxInterval;
    this.ageDivisor = ageDivisor;
  }

  /** Returns the pace for lines for people: a night's run prints some dozens of lines. */
  public static Pace forPeople() {
    return new Pace(Duration.ofSeconds(10), Duration.ofMinutes(10), 10);
  }

  /**
   * Returns the pace for events that a page draws: their delay is at most a hundredth of the job's
   * age, which means some hundreds of lines a day.
   */
  static Pace forPrograms() {
    return new Pace(Duration.ofSeconds(2), Duration.ofMinutes(10), 100);
  }

  /** Returns the pace for polling a queue, which is expensive for YARN. */
  public static Pace forQueuePolls() {
    return new Pace(Duration.ofMinutes(1), Duration.ofMinutes(10), 10);
  }

  /** Returns the pace of one line per second, independent of the age. */
  static Pace everySecond() {
    return new Pace(Duration.ofSeconds(1), Duration.ofSeconds(1), 1);
  }

  /** Returns whether a message is due, and if so records it as printed. */
  public boolean recordIfDue(Instant at) {
    if (!remaining(at).isZero()) {
      return false;
    }
    record(at);
    return true;
  }

  /** Returns how long the next message is not due; zero if it is due. */
  Duration remaining(Instant at) {
    if (lastAt == null) {
      return Duration.ZERO;
    }
    Duration since = Duration.between(lastAt, at);
    // Negative if the clock was set back.
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
