package io.tony.eventlog;

import io.tony.eventlog.EventLog.Limits;
import io.tony.eventlog.EventLog.Listener;
import io.tony.fact.Fact;
import io.tony.fact.JobFact;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been appended on its way to the file and to those who are told. Two threads, so that
 * neither a file system that does not answer nor whoever is told holds up the other.
 */
final class Appender {
  private static final Logger LOG = LoggerFactory.getLogger(Appender.class);

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

  /**
   * No more than this counts at once as waiting for the file system: a longer time may be one in
   * which this process stood still. Then the writer is to find out first whether it was fenced.
   */
  private static final long SLICE_MS = 1_000;

  private final OwnFile file;
  private final Path folder;
  private final InstantSource clock;
  private final Runnable whenFenced;
  private final Limits limits;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicBoolean looking = new AtomicBoolean();

  // All below is guarded by this.

  private Thread writer; // null before the start, as the next is
  private Thread teller;
  private final Deque<List<String>> unwritten = new ArrayDeque<>();
  private final Untold untold = new Untold();
  private Listener listener;
  private long appended;
  private long written;
  private int session;
  private String failure = ""; // of the last try to write
  private boolean behind; // the job goes on without its log
  private boolean fenced;
  private boolean sealed; // what is appended now is not written any more
  private boolean abandoned; // closed, and not all is written
  private boolean leaving; // another ApplicationMaster goes on from what is written

  /** {@code count} is that of the lines which are in the log already. */
  Appender(
      OwnFile file,
      Path folder,
      long count,
      InstantSource clock,
      Runnable whenFenced,
      Limits limits) {
    this.file = file;
    this.folder = folder;
    this.appended = count;
    this.written = count;
    this.clock = clock;
    this.whenFenced = whenFenced;
    this.limits = limits;
  }

  synchronized void start(Listener toldOfLines) throws IOException {
    listener = toldOfLines;
    writer = Spawner.SYSTEM.thread("event-log", this::write);
    teller = Spawner.SYSTEM.thread("event-log-teller", this::tell);
  }

  synchronized void append(List<String> group, int inSession) {
    if (sealed) {
      return;
    }
    session = inSession;
    appended += group.size();
    unwritten.add(group);
    untold.add(group, appended);
    notifyAll();
  }

  synchronized void afterwards(Runnable step) {
    untold.add(step, appended);
    notifyAll();
  }

  // ---- The thread that writes ----

  private void write() {
    try {
      Duration pause = Duration.ZERO;
      for (List<List<String>> groups = next(); !groups.isEmpty(); groups = next()) {
        if (write(groups.stream().flatMap(List::stream).toList())) {
          settle(groups.size());
          pause = Duration.ZERO;
        } else {
          pause(pause);
          pause = longer(pause);
        }
      }
      if (isFenced()) {
        whenFenced.run();
      } else {
        file.close();
      }
    } catch (IOException e) {
      LOG.error("The event log cannot be closed; all its lines were flushed before", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Error e) {
      toBeTakenOver(); // this process ends now
      throw e;
    } finally {
      seal();
    }
  }

  /** What has come together; nothing when the log is closed and no more comes. */
  private List<List<String>> next() throws InterruptedException {
    while (!awaitLines()) {
      look();
    }
    return taken();
  }

  /** False when none have come for a while. */
  private synchronized boolean awaitLines() throws InterruptedException {
    long begin = limits.nanos().getAsLong();
    while (unwritten.isEmpty() && closing.getCount() > 0 && !fenced) {
      long left = limits.idle().toNanos() - (limits.nanos().getAsLong() - begin);
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
    }
    return true;
  }

  /**
   * Whether the log is still its own: an ApplicationMaster that has nothing to write would not see
   * that another one has begun. On a thread of its own: a file system that does not answer must not
   * hold up lines that come meanwhile, which data nodes can take without it.
   */
  private void look() {
    if (looking.compareAndSet(false, true)) {
      try {
        Spawner.SYSTEM.thread("event-log-look", this::lookWhose);
      } catch (IOException e) {
        LOG.info("It is looked later whether the event log is still its own: {}", e.toString());
        looking.set(false);
      }
    }
  }

  private void lookWhose() {
    try {
      if (file.superseded()) {
        fence();
      }
    } catch (IOException | RuntimeException e) {
      LOG.info("It is not known whether the event log is still its own", e);
    } finally {
      looking.set(false);
    }
  }

  private synchronized List<List<String>> taken() {
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
      // The job is worth more than its history: it goes on, and says so. Without this thread
      // nothing would be done any more, and nobody would know.
      Untold.guarded(file::abandon);
      String how = e.toString().lines().findFirst().orElse("");
      if (failed(how)) {
        LOG.error("The event log cannot be written; what is missing in it is kept", e);
      } else {
        LOG.info("The event log can still not be written: {}", how);
      }
      return false;
    }
  }

  /** Returns whether it is the first time for what is written now. */
  private synchronized boolean failed(String how) {
    boolean first = failure.isEmpty();
    failure = how;
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

  private synchronized void settle(int groups) {
    for (int i = 0; i < groups; i++) {
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

  /** A job that ends does not wait for a pause that became long before. */
  private void pause(Duration pause) throws InterruptedException {
    if (!isFenced() && closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
      Thread.sleep(SHORTEST_PAUSE.toMillis());
    }
  }

  /** The first try after a failure comes at once. */
  private Duration longer(Duration pause) {
    Duration twice = pause.isZero() ? SHORTEST_PAUSE : pause.multipliedBy(2);
    return twice.compareTo(limits.longestPause()) > 0 ? limits.longestPause() : twice;
  }

  private synchronized void seal() {
    sealed = true;
    abandoned |= !unwritten.isEmpty();
    if (leaving && abandoned) {
      untold.clear(); // the next ApplicationMaster knows nothing of it
    }
    notifyAll();
  }

  // ---- The thread that tells ----

  private void tell() {
    try {
      for (Untold.Due due = due(); !due.isEmpty(); due = due()) {
        due.tell(listener()); // no lock is held: it may take its time
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes what may be told and done now; nothing when no more comes. */
  private synchronized Untold.Due due() throws InterruptedException {
    long waitedNanos = 0;
    while (!fenced) {
      Untold.Due due = untold.take(behind || abandoned ? Long.MAX_VALUE : written);
      if (!due.isEmpty()) {
        return due;
      }
      if (untold.isEmpty()) {
        if (sealed) {
          return Untold.Due.NOTHING;
        }
        wait();
      } else if (waitedNanos >= limits.patience().toNanos()) {
        goOnWithout();
      } else {
        long begin = limits.nanos().getAsLong();
        long left = TimeUnit.NANOSECONDS.toMillis(limits.patience().toNanos() - waitedNanos);
        wait(Math.max(1, Math.min(SLICE_MS, left)));
        long waited = limits.nanos().getAsLong() - begin;
        waitedNanos += Math.min(waited, TimeUnit.MILLISECONDS.toNanos(SLICE_MS));
      }
    }
    return Untold.Due.NOTHING;
  }

  private void goOnWithout() {
    behind = true;
    String cause = failure.isEmpty() ? "the file system does not answer" : failure;
    LOG.error("The event log is behind, and the job goes on without it: {}", cause);
    String message =
        "the event log in "
            + folder
            + " could not be written for "
            + limits.patience().toSeconds()
            + " s ("
            + cause
            + "): the job goes on, but it fails if its ApplicationMaster is lost before the log is"
            + " written again. Look at the file system and at the quota of the folder";
    append(List.of(line(new JobFact.LogBehind(message))), session);
  }

  private String line(Fact fact) {
    return EventJson.write(fact.at(clock.instant(), session));
  }

  private synchronized Listener listener() {
    return listener;
  }

  /** See {@link EventLog#leave}. */
  void leave() {
    toBeTakenOver();
    close();
  }

  private synchronized void toBeTakenOver() {
    leaving = true;
  }

  /** See {@link EventLog#close}. */
  void close() {
    closing.countDown();
    Thread writes;
    Thread tells;
    synchronized (this) {
      writes = writer;
      tells = teller;
      notifyAll();
    }
    try {
      if (!ends(writes)) {
        LOG.error("The event log is not written after {}; the job ends without it", limits.close());
        seal();
      }
      ends(tells);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** False for one that has not ended in time; null has never begun. */
  private boolean ends(Thread thread) throws InterruptedException {
    if (thread == null) {
      return true;
    }
    thread.join(limits.close().toMillis());
    return !thread.isAlive();
  }
}
