package io.tony.config.job;

import java.time.Duration;

/**
 * How often executors send heartbeats, and when an executor counts as lost. In large gangs the
 * interval is longer, so that the total number of heartbeats per second stays limited.
 *
 * @param interval time between two heartbeats of an executor
 * @param maxMissed number of intervals without a heartbeat after which the executor counts as lost
 */
record HeartbeatPace(Duration interval, int maxMissed) {
  /**
   * Maximum number of heartbeats per second of all executors together. The ApplicationMaster
   * handles this number with a small part of a core.
   */
  static final int MAX_HEARTBEATS_PER_SECOND = 1_000;

  /**
   * Returns the configured interval and number, or a longer interval if the heartbeats of all tasks
   * would exceed {@link #MAX_HEARTBEATS_PER_SECOND}. The number is then reduced, but so that no
   * executor counts as lost earlier than configured.
   */
  static HeartbeatPace of(Duration interval, int maxMissed, int tasks) {
    Duration minInterval = Duration.ofMillis(tasks * 1_000L / MAX_HEARTBEATS_PER_SECOND);
    if (interval.compareTo(minInterval) >= 0) {
      return new HeartbeatPace(interval, maxMissed);
    }
    long maxSilenceMs = interval.toMillis() * maxMissed;
    long intervals = (maxSilenceMs + minInterval.toMillis() - 1) / minInterval.toMillis();
    // Add one interval. Without it, if one interval is as long as the configured time, an executor
    // would count as lost just when its first heartbeat is due.
    return new HeartbeatPace(minInterval, Math.toIntExact(intervals + 1));
  }
}
