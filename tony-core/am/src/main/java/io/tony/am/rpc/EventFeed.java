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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines of the job's event log for clients, from the first ApplicationMaster attempt on; a line
 * keeps its number under later ApplicationMasters. The most recent lines are in memory; older ones
 * are read from the event log's files on a separate thread. Thread-safe.
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
  private volatile long eventCount; // number of the job's events so far
  private long watchedAt; // when a client last watched, in the time of "steady"
  private boolean watched;
  private boolean finished;
  private boolean incomplete;
  private @Nullable Duration maxUnwatched; // null if there is no limit

  /**
   * Creates an empty feed.
   *
   * @param sink gets an event if a client has seen more events than the event log contains
   * @param steady measures how long no client has watched; must not count times when this process
   *     was suspended
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

  /**
   * Appends new lines, and answers the held calls that wait for them.
   *
   * @param first number of the first of these lines
   */
  void append(long first, List<String> lines) {
    Map<HeldCall, WatchResponse> answers;
    synchronized (this) {
      recent.add(first, lines);
      answers = takeAnswers();
      recent.trim(log.readableLineCount());
      eventCount = recent.end();
    }
    answers.forEach(EventFeed::answer);
  }

  /** Returns the number of the job's events so far, all of which clients can get. */
  long eventCount() {
    return eventCount;
  }

  @Override
  public int masterAttempt() {
    return log.attempt();
  }

  /**
   * Tells all watching clients that there are no more events. Call it once the event log is
   * complete.
   */
  void finish() {
    Map<HeldCall, WatchResponse> answers;
    synchronized (this) {
      finished = true;
      answers = takeAnswers();
    }
    answers.forEach(EventFeed::answer);
  }

  /** Answers one call. A failure is only logged, so that the other calls are answered, too. */
  private static void answer(HeldCall call, WatchResponse response) {
    try {
      call.answer(response);
    } catch (RuntimeException e) {
      LOG.warn("A client cannot be answered", e);
    }
  }

  private Map<HeldCall, WatchResponse> takeAnswers() {
    Map<HeldCall, WatchResponse> answers = new HashMap<>();
    watchers.forEach((call, seen) -> answers.put(call, responseSince(seen)));
    watchers.clear();
    return answers;
  }

  /**
   * From now on, requests the stop of the job when no client has watched for the time {@code
   * limit}.
   */
  synchronized void stopWhenUnwatched(Duration limit) {
    watchedAt = steady.millis();
    maxUnwatched = limit;
  }

  /**
   * Requests the stop of the job if no client has watched for too long. Runs every {@link
   * #CHECK_INTERVAL_MS}.
   */
  synchronized void checkWatched() {
    // The time counts from the start of a client's call, so add the maximum time that the call is
    // held.
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

  /**
   * Returns the time since the last call of a watching client; if there was none, since {@link
   * #stopWhenUnwatched} or the creation of this object.
   */
  synchronized Duration unwatchedTime() {
    return Duration.ofMillis(steady.millis() - watchedAt);
  }

  /** Returns true if a client has watched this ApplicationMaster. */
  synchronized boolean hasBeenWatched() {
    return watched;
  }

  /**
   * Returns the events that follow the first {@code seen} events; null if the call is held until
   * there are some.
   *
   * @param masterAttempt ApplicationMaster attempt from which the caller got its last event; 0 if
   *     unknown
   * @param timeoutMillis maximum time to hold the call, at most {@link HeldCall#MAX_HOLD_MS}
   */
  @Nullable WatchResponse watch(long seen, int masterAttempt, long timeoutMillis) {
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
    HeldCall call = HeldCall.hold(response(List.of(), false), scheduler);
    try {
      reader.execute(() -> answerFromFiles(call, seen));
    } catch (RejectedExecutionException e) {
      // The client repeats the call.
      call.fail(e);
    }
    return null;
  }

  /**
   * Offers an event, once, if a caller has seen more events than the event log contains. This
   * happens if an earlier ApplicationMaster was lost before it wrote events that it had already
   * sent. If the caller got its last event from this ApplicationMaster, it is compared with all
   * events, even those not written yet; else only with the events of earlier ApplicationMasters.
   *
   * @param who names the caller in the event's message
   * @param seen number of events that the caller has seen
   * @param masterAttempt ApplicationMaster attempt from which the caller got its last event; 0 if
   *     unknown, which counts as this one
   */
  synchronized void checkSeen(String who, long seen, int masterAttempt) {
    boolean fromThisMaster = masterAttempt == 0 || masterAttempt == log.attempt();
    // Older lines are read from the event log's files, which may already contain more lines than
    // "recent".
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
        call.answer(response(log.read(seen, RecentLines.MAX_CHARACTERS), false));
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Event {} and those after it cannot be read", seen, e);
      call.fail(e);
    }
  }

  /**
   * Returns the lines that follow the first {@code seen} lines, up to the size limit of one answer.
   * The client calls again for the rest.
   */
  private WatchResponse responseSince(long seen) {
    List<String> lines = recent.from(seen);
    return response(lines, finished && seen + lines.size() >= recent.end());
  }

  private WatchResponse response(List<String> lines, boolean last) {
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
