package io.tony.eventlog;

import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.eventlog.EventLog.Limits;
import io.tony.eventlog.EventLog.Listener;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes appended lines to the log file and then notifies the log's listener of them. Uses one
 * thread for each, so that a slow listener does not delay writing, and an unresponsive file system
 * delays notifications only until the write timeout. Thread-safe.
 */
final class Appender {
  private static final Logger LOG = LoggerFactory.getLogger(Appender.class);

  private static final Duration MIN_RETRY_DELAY = Duration.ofMillis(50);

  /**
   * Maximum part of one wait of the notifier thread that counts towards the write timeout, in
   * milliseconds. A longer wait may mean that this process was suspended, and that another
   * ApplicationMaster has fenced the log meanwhile. Because only this part counts, the writer
   * thread then has time to notice the fencing before the listener is notified of lines that were
   * not written.
   */
  private static final long MAX_WAIT_SLICE_MS = 1_000;

  private final LogFileWriter file;
  private final Path folder;
  private final InstantSource clock;
  private final Runnable onFenced;
  private final Limits limits;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicBoolean ownershipCheckRunning = new AtomicBoolean();

  // All fields below are guarded by the monitor of this object.

  private @Nullable Thread writer; // null before start(), like notifier
  private @Nullable Thread notifier;
  private final Deque<List<String>> unwritten = new ArrayDeque<>();
  private final PendingNotifications pendingNotifications = new PendingNotifications();
  private long appended;
  private long written;
  private int session;
  private String failure = ""; // error of the last failed write; empty after a successful write
  // True after the write timeout, until all lines are written: notifications do not wait for that.
  private boolean behind;
  private boolean fenced;
  private boolean sealed; // lines appended from now on are dropped
  private boolean abandoned; // the log was closed before all lines were written
  private boolean takeoverExpected; // another ApplicationMaster will continue this log

  /**
   * {@code lineCount} is the number of lines that the log contains from earlier ApplicationMasters.
   */
  Appender(
      LogFileWriter file,
      Path folder,
      long lineCount,
      InstantSource clock,
      Runnable onFenced,
      Limits limits) {
    this.file = file;
    this.folder = folder;
    this.appended = lineCount;
    this.written = lineCount;
    this.clock = clock;
    this.onFenced = onFenced;
    this.limits = limits;
  }

  synchronized void start(Listener listener) throws IOException {
    writer = Spawner.SYSTEM.startThread("event-log", this::write);
    notifier = Spawner.SYSTEM.startThread("event-log-notifier", () -> notifyListener(listener));
  }

  synchronized void append(List<String> group, int groupSession) {
    if (sealed) {
      return;
    }
    session = groupSession;
    appended += group.size();
    unwritten.add(group);
    pendingNotifications.add(group, appended);
    notifyAll();
  }

  synchronized void runWhenDurable(Runnable step) {
    pendingNotifications.add(step, appended);
    notifyAll();
  }

  // ---- Writer thread ----

  private void write() {
    try {
      Duration pause = Duration.ZERO;
      for (List<List<String>> groups = awaitBatch(); !groups.isEmpty(); groups = awaitBatch()) {
        if (write(groups.stream().flatMap(List::stream).toList())) {
          markWritten(groups.size());
          pause = Duration.ZERO;
        } else {
          pause(pause);
          pause = nextRetryDelay(pause);
        }
      }
      if (isFenced()) {
        onFenced.run();
      } else {
        file.close();
      }
    } catch (IOException e) {
      LOG.error("The event log cannot be closed; all its lines were flushed before", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Error e) {
      // An Error ends this process, and YARN then starts another ApplicationMaster, which continues
      // this log; so do not notify the listener of lines that it will not find in the log.
      expectTakeover();
      throw e;
    } finally {
      seal();
    }
  }

  /**
   * Waits for lines and returns all groups of lines that are not written yet; each group belongs to
   * one decision. Returns an empty list if nothing is to be written any more, because the log is
   * closed or fenced.
   */
  private List<List<String>> awaitBatch() throws InterruptedException {
    while (!awaitLines()) {
      startOwnershipCheck();
    }
    return batchOrSeal();
  }

  /**
   * Waits until there are lines to write, or the log is closed or fenced. Returns false if none of
   * this happened within the ownership check interval.
   */
  private synchronized boolean awaitLines() throws InterruptedException {
    long begin = limits.nanoClock().getAsLong();
    while (unwritten.isEmpty() && closing.getCount() > 0 && !fenced) {
      long left =
          limits.ownershipCheckInterval().toNanos() - (limits.nanoClock().getAsLong() - begin);
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
    }
    return true;
  }

  /**
   * Starts a check whether a later ApplicationMaster has begun to write to the log. Without this
   * check, a log that has no lines to write would not find that out. The check has a thread of its
   * own, because it blocks while HDFS's NameNode does not respond, and the writer thread may still
   * be able to write new lines, for which it needs only the data nodes.
   */
  private void startOwnershipCheck() {
    if (ownershipCheckRunning.compareAndSet(false, true)) {
      try {
        Spawner.SYSTEM.startThread("event-log-ownership", this::checkOwnership);
      } catch (IOException e) {
        LOG.info("Whether the event log is still its own is checked later: {}", e.toString());
        ownershipCheckRunning.set(false);
      }
    }
  }

  private void checkOwnership() {
    try {
      if (file.isSuperseded()) {
        fence();
      }
    } catch (IOException | RuntimeException e) {
      LOG.info("It is not known whether the event log is still its own", e);
    } finally {
      ownershipCheckRunning.set(false);
    }
  }

  private synchronized List<List<String>> batchOrSeal() {
    if (unwritten.isEmpty() || abandoned || fenced) {
      seal();
      return List.of();
    }
    return List.copyOf(unwritten);
  }

  private boolean write(List<String> batch) {
    try {
      boolean done = file.write(batch);
      if (!done) {
        fence();
      }
      return done;
    } catch (IOException | RuntimeException | Error e) {
      // The job continues even if its event log cannot be written. Also catch errors of other
      // kinds: they would end this thread, and then no further line would be written, and the
      // failure would not be reported.
      PendingNotifications.runLogged(file::abandon);
      String error = e.toString().lines().findFirst().orElse("");
      if (recordFailure(error)) {
        LOG.error("The event log cannot be written; what is missing in it is kept", e);
      } else {
        LOG.info("The event log can still not be written: {}", error);
      }
      return false;
    }
  }

  /** Records a failed write; returns true if the previous write did not fail. */
  private synchronized boolean recordFailure(String error) {
    boolean first = failure.isEmpty();
    failure = error;
    return first;
  }

  private synchronized void fence() {
    LOG.error("A later ApplicationMaster has begun to write in {}", folder);
    fenced = true;
    notifyAll();
  }

  private synchronized boolean isFenced() {
    return fenced;
  }

  private synchronized void markWritten(int groupCount) {
    for (int i = 0; i < groupCount; i++) {
      written += unwritten.remove().size();
    }
    failure = "";
    if (behind && unwritten.isEmpty()) {
      behind = false;
      LOG.info("The event log is written again");
      append(List.of(line(new JobFact.LogCaughtUp())), session);
    }
    notifyAll();
  }

  /** Waits {@code pause} before the next attempt to write; less if the log is closed or fenced. */
  private void pause(Duration pause) throws InterruptedException {
    if (!isFenced() && closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
      Thread.sleep(MIN_RETRY_DELAY.toMillis());
    }
  }

  /**
   * Returns the delay after the delay {@code pause}: {@link #MIN_RETRY_DELAY} after zero, otherwise
   * twice as long, up to the maximum. The first retry after a failure follows without delay.
   */
  private Duration nextRetryDelay(Duration pause) {
    Duration doubled = pause.isZero() ? MIN_RETRY_DELAY : pause.multipliedBy(2);
    return doubled.compareTo(limits.maxRetryDelay()) > 0 ? limits.maxRetryDelay() : doubled;
  }

  private synchronized void seal() {
    sealed = true;
    abandoned |= !unwritten.isEmpty();
    if (takeoverExpected && abandoned) {
      // The next ApplicationMaster will not know the unwritten lines, so the listener must not be
      // notified of them.
      pendingNotifications.clear();
    }
    notifyAll();
  }

  // ---- Notifier thread ----

  private void notifyListener(Listener listener) {
    try {
      for (PendingNotifications.DueNotifications due = awaitDue();
          !due.isEmpty();
          due = awaitDue()) {
        // The listener may be slow, so notify it without holding the lock.
        due.deliver(listener);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for notifications that are due, and returns them. Returns {@link
   * PendingNotifications.DueNotifications#NONE} if no more will be delivered, because the log is
   * closed or fenced.
   */
  private synchronized PendingNotifications.DueNotifications awaitDue()
      throws InterruptedException {
    long waitedNanos = 0;
    while (!fenced) {
      PendingNotifications.DueNotifications due =
          pendingNotifications.take(behind || abandoned ? Long.MAX_VALUE : written);
      if (!due.isEmpty()) {
        return due;
      }
      if (pendingNotifications.isEmpty()) {
        if (sealed) {
          return PendingNotifications.DueNotifications.NONE;
        }
        wait();
      } else if (waitedNanos >= limits.writeTimeout().toNanos()) {
        continueWithoutLog();
      } else {
        long begin = limits.nanoClock().getAsLong();
        long left = TimeUnit.NANOSECONDS.toMillis(limits.writeTimeout().toNanos() - waitedNanos);
        wait(Math.max(1, Math.min(MAX_WAIT_SLICE_MS, left)));
        long waited = limits.nanoClock().getAsLong() - begin;
        waitedNanos += Math.min(waited, TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_SLICE_MS));
      }
    }
    return PendingNotifications.DueNotifications.NONE;
  }

  private void continueWithoutLog() {
    behind = true;
    String cause = failure.isEmpty() ? "the file system does not answer" : failure;
    LOG.error("The event log is behind, and the job goes on without it: {}", cause);
    String message =
        "the event log in "
            + folder
            + " could not be written for "
            + limits.writeTimeout().toSeconds()
            + " s ("
            + cause
            + "): the job goes on, but it fails if its ApplicationMaster is lost before the log is"
            + " written again. Look at the file system and at the quota of the folder";
    append(List.of(line(new JobFact.LogBehind(message))), session);
  }

  private String line(Fact fact) {
    return EventJson.write(fact.toEvent(clock.instant(), session));
  }

  /** See {@link EventLog#closeForTakeover}. */
  void closeForTakeover() {
    expectTakeover();
    close();
  }

  private synchronized void expectTakeover() {
    takeoverExpected = true;
  }

  /** See {@link EventLog#close}. */
  void close() {
    closing.countDown();
    Thread writerThread;
    Thread notifierThread;
    synchronized (this) {
      writerThread = writer;
      notifierThread = notifier;
      notifyAll();
    }
    try {
      if (!awaitEnd(writerThread)) {
        LOG.error(
            "The event log is not written after {}; the job ends without it",
            limits.closeTimeout());
        seal();
      }
      awaitEnd(notifierThread);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for the end of {@code thread}. Returns false if it did not end within the close timeout;
   * true also if {@code thread} is null because it was never started.
   */
  private boolean awaitEnd(@Nullable Thread thread) throws InterruptedException {
    if (thread == null) {
      return true;
    }
    thread.join(limits.closeTimeout().toMillis());
    return !thread.isAlive();
  }
}
