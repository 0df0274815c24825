package io.tony.config.job;

import java.time.Duration;

/**
 * How often an executor is heard of, and how many intervals it may be silent. All executors of a
 * large gang together are as loud as those of a small one, and no more.
 */
record HeartbeatPace(Duration interval, int maxMissed) {
  /** What an ApplicationMaster hears in a second with a small part of a core. */
  static final int MAX_HEARTBEATS_PER_SECOND = 1_000;

  /** The pace that the settings ask for, or the slower one that so many tasks need. */
  static HeartbeatPace of(Duration interval, int maxMissed, int tasks) {
    Duration minInterval = Duration.ofMillis(tasks * 1_000L / MAX_HEARTBEATS_PER_SECOND);
    if (interval.compareTo(minInterval) >= 0) {
      return new HeartbeatPace(interval, maxMissed);
    }
    long maxSilenceMs = interval.toMillis() * maxMissed;
    long intervals = (maxSilenceMs + minInterval.toMillis() - 1) / minInterval.toMillis();
    // One interval more: the next heartbeat may just be due.
    return new HeartbeatPace(minInterval, Math.toIntExact(intervals + 1));
  }
}
