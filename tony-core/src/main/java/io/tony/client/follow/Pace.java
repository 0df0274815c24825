package io.tony.client.follow;

import java.time.Duration;
import java.time.Instant;

/**
 * How often something that comes again and again is told: often at first, and more rarely the
 * longer it has been going on.
 */
final class Pace {
  private final Duration shortest;
  private final Duration longest;

  /** The part of the time since the first telling that passes between two others. */
  private final int part;

  private Instant firstAt;
  private Instant lastAt;

  private Pace(Duration shortest, Duration longest, int part) {
    this.shortest = shortest;
    this.longest = longest;
    this.part = part;
  }

  /** A night's run is told in some dozens of lines. */
  static Pace forPeople() {
    return new Pace(Duration.ofSeconds(10), Duration.ofMinutes(10), 10);
  }

  /** What a page draws is not older than a hundredth of the job: some hundreds of lines a day. */
  static Pace forPrograms() {
    return new Pace(Duration.ofSeconds(2), Duration.ofMinutes(10), 100);
  }

  /** A look at a queue is work for YARN. */
  static Pace ofQueues() {
    return new Pace(Duration.ofMinutes(1), Duration.ofMinutes(10), 10);
  }

  /** However long it goes on. */
  static Pace everySecond() {
    return new Pace(Duration.ofSeconds(1), Duration.ofSeconds(1), 1);
  }

  /** Whether it is to be told now; it counts as told then. */
  boolean due(Instant at) {
    if (!left(at).isZero()) {
      return false;
    }
    told(at);
    return true;
  }

  /** How long it is not to be told yet; zero where it is due. */
  Duration left(Instant at) {
    if (lastAt == null) {
      return Duration.ZERO;
    }
    Duration since = Duration.between(lastAt, at);
    // Negative when somebody has set the clock back.
    return since.isNegative() || since.compareTo(interval()) >= 0
        ? Duration.ZERO
        : interval().minus(since);
  }

  void told(Instant at) {
    if (firstAt == null) {
      firstAt = at;
    }
    lastAt = at;
  }

  private Duration interval() {
    Duration ofAge = Duration.between(firstAt, lastAt).dividedBy(part);
    if (ofAge.compareTo(shortest) < 0) {
      return shortest;
    }
    return ofAge.compareTo(longest) > 0 ? longest : ofAge;
  }
}
