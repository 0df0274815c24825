package io.tony.config.job;

import java.time.Duration;

/**
 * Interval between the heartbeats of an executor, and the number of intervals after which a silent
 * executor is lost. Large gangs get a longer interval, so that the total rate of heartbeats is
 * limited.
 */
record HeartbeatPace(Duration interval, int maxMissed) {
  /**
   * Maximum number of heartbeats per second of all executors together; the ApplicationMaster
   * handles them with a small part of a core.
   */
  static final int MAX_HEARTBEATS_PER_SECOND = 1_000;

  /**
   * Returns the configured pace, or a slower one if the gang has too many tasks for it. The
   * tolerated silence does not become shorter.
   */
  static HeartbeatPace of(Duration interval, int maxMissed, int tasks) {
    Duration minInterval = Duration.ofMillis(tasks * 1_000L / MAX_HEARTBEATS_PER_SECOND);
    if (interval.compareTo(minInterval) >= 0) {
      return new HeartbeatPace(interval, maxMissed);
    }
    long maxSilenceMs = interval.toMillis() * maxMissed;
    long intervals = (maxSilenceMs + minInterval.toMillis() - 1) / minInterval.toMillis();
    // One more interval, because the next heartbeat may just be due.
    return new HeartbeatPace(minInterval, Math.toIntExact(intervals + 1));
  }
}
