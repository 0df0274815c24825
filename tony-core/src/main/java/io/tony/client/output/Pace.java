package io.tony.client.output;

import java.time.Duration;
import java.time.Instant;

/**
 * How often something that comes again and again is told: often at first, and more rarely the
 * longer it has been going on.
 */
public final class Pace {
  private final Duration minInterval;
  private final Duration maxInterval;

  /** The part of the time since the first telling that passes between two others. */
  private final int ageDivisor;

  private Instant firstAt;
  private Instant lastAt;

  private Pace(Duration minInterval, Duration maxInterval, int ageDivisor) {
    this.minInterval = minInterval;
    this.maxInterval = maxInterval;
    this.ageDivisor = ageDivisor;
  }

  /** A night's run is told in some dozens of lines. */
  public static Pace forPeople() {
    return new Pace(Duration.ofSeconds(10), Duration.ofMinutes(10), 10);
  }

  /** What a page draws is not older than a hundredth of the job: some hundreds of lines a day. */
  static Pace forPrograms() {
    return new Pace(Duration.ofSeconds(2), Duration.ofMinutes(10), 100);
  }

  /** A look at a queue is work for YARN. */
  public static Pace forQueuePolls() {
    return new Pace(Duration.ofMinutes(1), Duration.ofMinutes(10), 10);
  }

  /** However long it goes on. */
  static Pace everySecond() {
    return new Pace(Duration.ofSeconds(1), Duration.ofSeconds(1), 1);
  }

  /** Whether it is to be told now; it counts as told then. */
  public boolean recordIfDue(Instant at) {
    if (!remaining(at).isZero()) {
      return false;
    }
    record(at);
    return true;
  }

  /** How long it is not to be told yet; zero where it is due. */
  Duration remaining(Instant at) {
    if (lastAt == null) {
      return Duration.ZERO;
    }
    Duration since = Duration.between(lastAt, at);
    // Negative when somebody has set the clock back.
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
