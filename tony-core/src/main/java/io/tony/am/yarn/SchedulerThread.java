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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that calls the ResourceManager: at once when there is something new to ask, often
 * while containers are pending and may come soon, and as a heartbeat otherwise. (AMRMClientAsync
 * sleeps a fixed interval between its calls, whatever is asked meanwhile.)
 */
final class SchedulerThread implements AutoCloseable {
  /** What is said; by the talking thread alone. */
  interface Exchange {
    /** One call. True when it brought something. */
    boolean call() throws IOException, YarnException;

    /** Whether containers are asked for and not yet there. */
    boolean hasPending();
  }

  private static final Logger LOG = LoggerFactory.getLogger(SchedulerThread.class);

  /** Of YARN's ten minutes in which an ApplicationMaster must be heard. */
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
  private Thread thread; // null before the start
  private volatile boolean closed;

  /**
   * @param sink told when YARN refuses, or cannot be talked to any more
   * @param onDisowned called by the talking thread when YARN has given this ApplicationMaster up
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

  /** Is done by the talking thread, before its next call, which then comes at once. */
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
      // Also an Error: without this thread YARN would wait ten minutes to give the job up.
      if (!closed) { // else it was interrupted in the middle of a call
        fail(e);
      }
    }
  }

  /**
   * The end of the talk. It cannot go on after a refusal either: YARN's client would ask for the
   * same again with every call.
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
    thread.interrupt(); // also out of the client's own retries, while the ResourceManager is away
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
