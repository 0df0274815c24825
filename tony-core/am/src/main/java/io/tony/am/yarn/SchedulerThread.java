package io.tony.am.yarn;

import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.container.PollInterval;
import io.tony.model.FailureKind;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that calls the ResourceManager: at once after a new request, and else at the heartbeat
 * interval. While requested containers are pending, the interval is shorter: shortest after a new
 * request or after news, then growing up to the heartbeat interval. (YARN's AMRMClientAsync always
 * waits a fixed interval between calls.)
 */
final class SchedulerThread implements AutoCloseable {
  /** The calls to the ResourceManager. Used only on this thread. */
  interface Exchange {
    /**
     * Makes one call. Returns true if the answer contained news, so that the next calls should
     * follow soon: containers that were granted or have ended, or running containers of an earlier
     * ApplicationMaster.
     */
    boolean call() throws IOException, YarnException;

    /** Returns whether a requested container has not been granted yet. */
    boolean hasPending();
  }

  private static final Logger LOG = LoggerFactory.getLogger(SchedulerThread.class);

  /**
   * Interval of calls while there is no new request and no requested container is pending; far
   * below the ten minutes after which YARN gives up on a silent ApplicationMaster.
   */
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);

  private static final Duration PENDING_INTERVAL = Duration.ofMillis(50);
  private static final Duration FAST_POLL_PERIOD = Duration.ofSeconds(2);

  private final Exchange exchange;
  private final EventSink sink;
  private final InstantSource clock;
  private final Runnable onDisowned;
  private final BlockingQueue<Runnable> changes;
  private final PollInterval pendingInterval =
      new PollInterval(PENDING_INTERVAL, FAST_POLL_PERIOD, HEARTBEAT);
  private @Nullable Thread thread; // null before start()
  private volatile boolean closed;

  /**
   * Creates the object; {@link #start} starts the thread.
   *
   * @param sink gets an event if YARN refuses a request or cannot be reached any more
   * @param onDisowned runs on this thread after YARN has rejected this ApplicationMaster
   */
  SchedulerThread(Exchange exchange, EventSink sink, InstantSource clock, Runnable onDisowned) {
    this(exchange, sink, clock, onDisowned, new LinkedBlockingQueue<>());
  }

  SchedulerThread(
      Exchange exchange,
      EventSink sink,
      InstantSource clock,
      Runnable onDisowned,
      BlockingQueue<Runnable> changes) {
    this.exchange = exchange;
    this.sink = sink;
    this.clock = clock;
    this.onDisowned = onDisowned;
    this.changes = changes;
  }

  void start() throws IOException {
    thread = Spawner.SYSTEM.startThread("resource-manager", this::run);
  }

  /** Runs {@code change} on this thread, which then calls the ResourceManager at once. */
  void submit(Runnable change) {
    changes.add(change);
  }

  void run() {
    try {
      while (!closed) {
        Duration wait = exchange.hasPending() ? pendingInterval.next() : HEARTBEAT;
        Runnable change = changes.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
        boolean changed = change != null;
        for (; change != null; change = changes.poll()) {
          change.run();
        }
        changed |= SchedulerErrors.callUnlessStopping(exchange::call).orElse(false);
        if (changed) {
          pendingInterval.reset();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      // Catch errors, too: if this thread ended silently, YARN would wait ten minutes before it
      // gives up on the ApplicationMaster.
      if (!closed) { // if closed, close() has interrupted the call
        fail(e);
      }
    }
  }

  /**
   * Reports the error that ended this thread. The thread cannot continue even after YARN has
   * refused a request, because YARN's client library would repeat the refused request with every
   * call.
   */
  private void fail(Throwable cause) {
    if (SchedulerErrors.isDisowned(cause)) {
      LOG.error("YARN has given this ApplicationMaster up", cause);
      onDisowned.run();
      return;
    }
    FailureKind kind = SchedulerErrors.kind(cause);
    if (kind == FailureKind.LOST && SchedulerErrors.isInternal(cause)) {
      sink.reportDefect(cause);
      return;
    }
    String what =
        kind == FailureKind.INVALID
            ? "YARN refuses what the job asks for"
            : "the ResourceManager cannot be talked to";
    LOG.error("{}", what, cause);
    sink.offer(
        new Event.SchedulerFailed(
            clock.instant(), kind, what + ": " + SchedulerErrors.sentence(cause)));
  }

  @Override
  public void close() {
    closed = true;
    if (thread == null) {
      return;
    }
    // Also interrupts the retries of YARN's client library while the ResourceManager is
    // unreachable.
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
