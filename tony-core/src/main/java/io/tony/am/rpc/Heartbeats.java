package io.tony.am.rpc;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.model.JobLimits;
import io.tony.model.TaskKey;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When each executor was last heard of; one that is silent for too long becomes an event, once. An
 * executor is its container's: from one attempt to the next it is the same, and is missed as the
 * latest.
 */
final class Heartbeats {
  /** {@code listening} is false while the executor has no process that could be missed. */
  private record LastHeartbeat(TaskKey key, long atMillis, boolean listening) {
    TaskKey latest(TaskKey other) {
      return other.attempt() > key.attempt() ? other : key;
    }

    /** It cannot find this ApplicationMaster yet, so nobody misses it. */
    boolean mayBeSilent() {
      return atMillis == NOT_YET;
    }
  }

  /** Instead of a time: the executor cannot find this ApplicationMaster yet. */
  private static final long NOT_YET = Long.MAX_VALUE;

  private final Map<String, LastHeartbeat> byContainer = new ConcurrentHashMap<>();

  /** The latest attempt of each container that has said that it is kept after a failure. */
  private final Map<String, Integer> heldAttempts = new ConcurrentHashMap<>();

  private final InstantSource clock;
  private final InstantSource steady;
  private final long maxSilenceMillis;
  private final EventSink sink;

  /**
   * Nobody was heard of yet.
   *
   * @param clock tells when it was that an executor turned out to be silent
   * @param steady measures for how long they are, standstills of this process left out: it was not
   *     listening either
   */
  Heartbeats(JobLimits limits, InstantSource clock, InstantSource steady, EventSink sink) {
    this.clock = clock;
    this.steady = steady;
    this.maxSilenceMillis =
        limits.heartbeatInterval().multipliedBy(limits.maxMissedHeartbeats()).toMillis();
    this.sink = sink;
  }

  void register(TaskKey key) {
    byContainer.compute(
        key.container(),
        (container, before) ->
            new LastHeartbeat(before == null ? key : before.latest(key), steady.millis(), true));
  }

  /** One that an earlier ApplicationMaster had. It is not missed before it can find this one. */
  void adopt(TaskKey key) {
    byContainer.put(key.container(), new LastHeartbeat(key, NOT_YET, true));
  }

  /** Those that were adopted can know where this ApplicationMaster is. */
  void markPublished() {
    long now = steady.millis();
    byContainer.replaceAll(
        (container, last) ->
            last.mayBeSilent() ? new LastHeartbeat(last.key(), now, last.listening()) : last);
  }

  /** The executor, where it ever registered, is to become this attempt. */
  void noteRestart(TaskKey key) {
    byContainer.computeIfPresent(
        key.container(),
        (container, before) ->
            new LastHeartbeat(
                before.latest(key), before.mayBeSilent() ? NOT_YET : steady.millis(), true));
  }

  void recordHeartbeat(TaskKey key) {
    byContainer.computeIfPresent(
        key.container(),
        (container, before) ->
            new LastHeartbeat(before.key(), steady.millis(), before.listening()));
  }

  /** The attempt's process has ended. Its executor lives on, and nobody waits for it. */
  void noteExit(TaskKey key) {
    byContainer.computeIfPresent(
        key.container(),
        (container, before) ->
            key.attempt() < before.key().attempt()
                ? before // a report that was under way when the next attempt was decided
                : new LastHeartbeat(before.key(), before.atMillis(), false));
  }

  /** The executors that have registered, each as the latest that it is to be. */
  List<TaskKey> executors() {
    return byContainer.values().stream().map(LastHeartbeat::key).toList();
  }

  /** The attempt says that its container is kept. False where that is not new. */
  synchronized boolean noteHold(TaskKey key) {
    boolean isNew =
        byContainer.containsKey(key.container())
            && heldAttempts.getOrDefault(key.container(), -1) < key.attempt();
    if (isNew) {
      heldAttempts.put(key.container(), key.attempt());
    }
    return isNew;
  }

  synchronized void forget(String container) {
    byContainer.remove(container);
    heldAttempts.remove(container);
  }

  /** Run every interval, by one thread. */
  synchronized void check() {
    long now = steady.millis();
    byContainer.forEach(
        (container, last) -> {
          if (last.listening()
              && !last.mayBeSilent()
              && now - last.atMillis() > maxSilenceMillis
              && byContainer.remove(container, last)) {
            sink.offer(new Event.HeartbeatTimedOut(clock.instant(), last.key()));
          }
        });
  }
}
