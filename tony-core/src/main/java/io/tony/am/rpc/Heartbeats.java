package io.tony.am.rpc;

import io.tony.am.EventSink;
import io.tony.am.machine.Event;
import io.tony.model.JobLimits;
import io.tony.model.TaskKey;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** When each executor was last heard of; one that is silent for too long becomes an event, once. */
final class Heartbeats {
  private final Map<TaskKey, Long> heardAtMillis = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private final long limitMillis;
  private final EventSink sink;
  private final long intervalMillis;
  private long checkedAtMillis;

  Heartbeats(JobLimits limits, InstantSource clock, EventSink sink) {
    this.clock = clock;
    this.limitMillis =
        limits.heartbeatInterval().multipliedBy(limits.maxMissedHeartbeats()).toMillis();
    this.sink = sink;
    this.intervalMillis = limits.heartbeatInterval().toMillis();
    this.checkedAtMillis = clock.millis();
  }

  void begin(TaskKey key) {
    heardAtMillis.put(key, clock.millis());
  }

  void heard(TaskKey key) {
    heardAtMillis.computeIfPresent(key, (k, before) -> clock.millis());
  }

  void end(TaskKey key) {
    heardAtMillis.remove(key);
  }

  /**
   * Run every interval, by one thread. When it comes late, or the clock was set, nobody is silent
   * for that: this process was not listening either.
   */
  synchronized void check() {
    long now = clock.millis();
    long late = now - checkedAtMillis - intervalMillis;
    if (Math.abs(late) > intervalMillis) {
      heardAtMillis.replaceAll((key, heardAt) -> heardAt + late);
    }
    checkedAtMillis = now;
    heardAtMillis.forEach(
        (key, heardAt) -> {
          if (now - heardAt > limitMillis && heardAtMillis.remove(key, heardAt)) {
            sink.offer(new Event.TaskSilent(clock.instant(), key));
          }
        });
  }
}
