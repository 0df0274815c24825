package io.tony.config.job;

import java.time.Duration;

/**
 * Interval between an executor's heartbeats, and the number of intervals without a heartbeat after
 * which the executor counts as lost. Large gangs have a longer interval, so that the total number
 * of heartbeats per second stays limited.
 */
record HeartbeatPace(Duration interval, int maxMissed) {
  /**
   * Maximum number of heartbeats per second of all executors together. The ApplicationMaster
   * handles them with a small part of a core.
   */
  static final int MAX_HEARTBEATS_PER_SECOND = 1_000;

  /**
   * Returns the configured pace, or one with a longer interval if there are too many tasks for it.
   * The time after which a silent executor counts as lost does not become shorter.
   */
  static HeartbeatPace of(Duration interval, int maxMissed, int tasks) {
    Duration minInterval = Duration.ofMillis(tasks * 1_000L / MAX_HEARTBEATS_PER_SECOND);
    if (interval.compareTo(minInterval) >= 0) {
      return new HeartbeatPace(interval, maxMissed);
    }
    long maxSilenceMs = interval.toMillis() * maxMissed;
    long intervals = (maxSilenceMs + minInterval.toMillis() - 1) / minInterval.toMillis();
    // One more, because a heartbeat may be due just when the time ends.
    return new HeartbeatPace(minInterval, Math.toIntExact(intervals + 1));
  }
}
