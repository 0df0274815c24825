package io.tony.am.rpc;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.am.page.EventSource;
import io.tony.eventlog.EventLog;
import io.tony.process.Spawner;
import io.tony.protocol.proto.TonyProtos.WatchResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines of the event log so far, those of earlier ApplicationMasters first, for those who
 * watch. How many a watcher has seen is good with the next ApplicationMaster as well. The last
 * lines are here; older ones are read from the log's files, by a thread that nobody else waits for.
 */
final class EventFeed implements EventSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventFeed.class);

  static final long CHECK_INTERVAL_MS = 1_000;

  private final ScheduledExecutorService scheduler;
  private final EventLog log;
  private final EventSink sink;
  private final InstantSource clock;
  private final InstantSource steady;
  private final RecentLines recent;
  private final ExecutorService reader = Spawner.SYSTEM.newThreadPool("event-reader", 1);
  private final Map<HeldCall, Long> watchers = new HashMap<>();
  private volatile long eventCount; // how many events
  private long watchedAt; // by the steady clock
  private boolean watched;
  private boolean finished;
  private boolean incomplete;
  private Duration maxUnwatched; // null for any

  /**
   * @param sink told when a watcher knows more than the log
   * @param steady measures for how long nobody has watched, standstills of this process left out
   */
  EventFeed(
      ScheduledExecutorService scheduler,
      EventLog log,
      EventSink sink,
      InstantSource clock,
      InstantSource steady,
      RecentLines recent) {
    this.scheduler = scheduler;
    this.log = log;
    this.sink = sink;
    this.clock = clock;
    this.steady = steady;
    this.watchedAt = steady.millis();
    this.recent = recent;
  }

  /** {@code first} is the number of the first line. */
  void append(long first, List<String> lines) {
    Map<HeldCall, WatchResponse> answers;
    synchronized (this) {
      recent.add(first, lines);
      answers = answers();
      recent.trim(log.readableLineCount());
      eventCount = recent.end();
    }
    answers.forEach(EventFeed::answer);
  }

  /** How many events of the job are told, to whoever asks. */
  long eventCount() {
    return eventCount;
  }

  @Override
  public int masterAttempt() {
    return log.attempt();
  }

  /** YARN knows the result and the log is complete: everybody is told. */
  void finish() {
    Map<HeldCall, WatchResponse> answers;
    synchronized (this) {
      finished = true;
      answers = answers();
    }
    answers.forEach(EventFeed::answer);
  }

  /** One that cannot be answered is no reason to be silent to the others. */
  private static void answer(HeldCall call, WatchResponse response) {
    try {
      call.answer(response);
    } catch (RuntimeException e) {
      LOG.warn("A client cannot be answered", e);
    }
  }

  private Map<HeldCall, WatchResponse> answers() {
    Map<HeldCall, WatchResponse> answers = new HashMap<>();
    watchers.forEach((call, seen) -> answers.put(call, responseSince(seen)));
    watchers.clear();
    return answers;
  }

  /** Asks for the job's end when nobody has watched for so long, from now on. */
  synchronized void stopWhenUnwatched(Duration limit) {
    watchedAt = steady.millis();
    maxUnwatched = limit;
  }

  /** Run every {@link #CHECK_INTERVAL_MS}. */
  synchronized void checkWatched() {
    // A client that is held asks again only when its patience ends.
    if (maxUnwatched != null
        && unwatchedTime().compareTo(maxUnwatched.plusMillis(HeldCall.MAX_HOLD_MS)) > 0) {
      sink.offer(
          new Event.StopRequested(
              clock.instant(),
              "tony.application.client-lost-timeout: no client has asked for "
                  + maxUnwatched.toSeconds()
                  + " s"));
      maxUnwatched = null;
    }
  }

  /** How long ago a watcher last called; without any, how long there could have been one. */
  synchronized Duration unwatchedTime() {
    return Duration.ofMillis(steady.millis() - watchedAt);
  }

  /** Whether there has been a watcher since this ApplicationMaster began. */
  synchronized boolean hasBeenWatched() {
    return watched;
  }

  /**
   * What the caller has not seen yet, or null when the call is held until there is something.
   *
   * @param masterAttempt which ApplicationMaster told the caller the last that it has seen; 0 if
   *     unknown
   */
  WatchResponse watch(long seen, int masterAttempt, long timeoutMillis) {
    synchronized (this) {
      watchedAt = steady.millis();
      watched = true;
      checkSeen("a client", seen, masterAttempt);
      if (seen >= recent.first()) {
        if (finished || seen < recent.end()) {
          return responseSince(seen);
        }
        watchers.keySet().removeIf(HeldCall::isAnswered);
        watchers.put(HeldCall.hold(responseSince(seen), timeoutMillis, scheduler), seen);
        return null;
      }
    }
    HeldCall call = HeldCall.hold(answer(List.of(), false), scheduler);
    try {
      reader.execute(() -> answerFromFiles(call, seen));
    } catch (RejectedExecutionException e) {
      call.fail(e); // whoever asked asks again
    }
    return null;
  }

  /**
   * Whoever was told more than the log has was told by an ApplicationMaster that was lost before it
   * could write that down. What is told here is counted before it leaves, written or not.
   *
   * @param masterAttempt which ApplicationMaster told {@code who} so; 0 if unknown
   */
  synchronized void checkSeen(String who, long seen, int masterAttempt) {
    boolean fromThisMaster = masterAttempt == 0 || masterAttempt == log.attempt();
    // Old lines are read from the files, where there may be more than has been told.
    long logCount =
        fromThisMaster ? Math.max(recent.end(), log.readableLineCount()) : log.earlierEventCount();
    if (seen > logCount && !incomplete) {
      incomplete = true;
      sink.offer(
          new Event.LogIncomplete(
              clock.instant(),
              who + " has seen " + seen + " events of this job, the log has " + logCount));
    }
  }

  @Override
  public Excerpt excerpt(long from) throws IOException {
    Optional<Excerpt> inMemory = excerptInMemory(from);
    return inMemory.isPresent()
        ? inMemory.get()
        : new Excerpt(from, log.read(from, RecentLines.MAX_CHARACTERS), false);
  }

  @Override
  public synchronized Optional<Excerpt> excerptInMemory(long from) {
    if (from < recent.first()) {
      return Optional.empty();
    }
    long first = Math.min(from, recent.end());
    List<String> lines = recent.from(first);
    return Optional.of(new Excerpt(first, lines, finished && first + lines.size() >= recent.end()));
  }

  @Override
  public synchronized boolean hasNews(long from) {
    return finished || from != recent.end();
  }

  private void answerFromFiles(HeldCall call, long seen) {
    try {
      if (!call.isAnswered()) {
        call.answer(answer(log.read(seen, RecentLines.MAX_CHARACTERS), false));
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Event {} and those after it cannot be read", seen, e);
      call.fail(e);
    }
  }

  /** As much as one answer should hold: whoever has not seen all by then asks again. */
  private WatchResponse responseSince(long seen) {
    List<String> lines = recent.from(seen);
    return answer(lines, finished && seen + lines.size() >= recent.end());
  }

  private WatchResponse answer(List<String> lines, boolean last) {
    return WatchResponse.newBuilder()
        .addAllEvents(lines)
        .setFinished(last)
        .setMasterAttempt(log.attempt())
        .build();
  }

  @Override
  public void close() {
    reader.shutdownNow();
  }
}
