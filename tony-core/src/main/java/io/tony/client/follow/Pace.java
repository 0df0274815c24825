package io.tony.client.follow;

import java.time.Duration;
import java.time.Instant;

/**
 * How often something that comes again and again is told: every ten seconds at first, and more
 * rarely the longer it has been going on, so that a night's run is told in some dozens of lines.
 */
final class Pace {
  private static final Duration SHORTEST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** The part of the time since the first telling that passes between two others. */
  private static final int PART = 10;

  private Instant firstAt;
  private Instant lastAt;

  /** Whether it is to be told now; it counts as told then. */
  boolean due(Instant at) {
    if (firstAt == null) {
      firstAt = at;
    } else if (Duration.between(lastAt, at).compareTo(interval()) < 0) {
      return false;
    }
    lastAt = at;
    return true;
  }

  private Duration interval() {
    Duration part = Duration.between(firstAt, lastAt).dividedBy(PART);
    if (part.compareTo(SHORTEST) < 0) {
      return SHORTEST;
    }
    return part.compareTo(LONGEST) > 0 ? LONGEST : part;
  }
}
