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
 * Times of the executors' last heartbeats. Offers one event for an executor that is silent for too
 * long. An executor belongs to its container and lives longer than a task attempt; its silence is
 * reported for its latest attempt. Thread-safe.
 */
final class Heartbeats {
  /**
   * Last heartbeat of an executor; {@code listening} is false after the end of the attempt's
   * program: silence is not reported then.
   */
  private record LastHeartbeat(TaskKey key, long atMillis, boolean listening) {
    TaskKey latest(TaskKey other) {
      return other.attempt() > key.attempt() ? other : key;
    }

    /**
     * Returns true if the executor cannot find this ApplicationMaster yet, so that its silence is
     * no failure.
     */
    boolean mayBeSilent() {
      return atMillis == NOT_YET;
    }
  }

  /** Value of {@code atMillis} as long as the executor cannot find this ApplicationMaster. */
  private static final long NOT_YET = Long.MAX_VALUE;

  private final Map<String, LastHeartbeat> byContainer = new ConcurrentHashMap<>();

  /**
   * By container: the latest attempt that has reported that its container is held for inspection
   * after a failure.
   */
  private final Map<String, Integer> heldAttempts = new ConcurrentHashMap<>();

  private final InstantSource clock;
  private final InstantSource steady;
  private final long maxSilenceMillis;
  private final EventSink sink;

  /**
   * Creates the object without any executor.
   *
   * @param clock time of the events
   * @param steady measures the executors' silence; must not count times when this process was
   *     suspended, because it could not receive heartbeats then
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

  /**
   * Adds an executor that an earlier ApplicationMaster started. Its silence counts from {@link
   * #markPublished} on.
   */
  void adopt(TaskKey key) {
    byContainer.put(key.container(), new LastHeartbeat(key, NOT_YET, true));
  }

  /**
   * Starts to measure the silence of executors of an earlier ApplicationMaster: from now on, they
   * can find this one.
   */
  void markPublished() {
    long now = steady.millis();
    byContainer.replaceAll(
        (container, last) ->
            last.mayBeSilent() ? new LastHeartbeat(last.key(), now, last.listening()) : last);
  }

  /**
   * Records that the executor was told to start this attempt. Ignored if the executor has never
   * registered.
   */
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

  /**
   * Records that the attempt's program has ended. From now on, silence of the executor is not
   * reported, although the executor is still alive.
   */
  void noteExit(TaskKey key) {
    byContainer.computeIfPresent(
        key.container(),
        (container, before) ->
            key.attempt() < before.key().attempt()
                ? before // A late report, from before the next attempt was decided.
                : new LastHeartbeat(before.key(), before.atMillis(), false));
  }

  /** Returns the registered executors, each with its latest attempt. */
  List<TaskKey> executors() {
    return byContainer.values().stream().map(LastHeartbeat::key).toList();
  }

  /**
   * Records that the attempt's container is held for inspection after a failure. Returns false if
   * that is already known, or if the executor is not registered.
   */
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

  /**
   * Offers an event for each executor that is silent for too long. Runs once per heartbeat
   * interval, always on the same thread.
   */
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
