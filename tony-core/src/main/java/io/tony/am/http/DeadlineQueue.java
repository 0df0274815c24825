package io.tony.am.http;

import java.time.Duration;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tasks that one thread runs later. Used only by that thread, except for {@link #execute}. */
public final class DeadlineQueue {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlineQueue.class);

  /** The sequence number orders deadlines at the same instant. */
  private record Deadline(long nanos, long sequence) implements Comparable<Deadline> {
    @Override
    public int compareTo(Deadline other) {
      int byTime = Long.signum(nanos - other.nanos); // nanoTime may overflow
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  private static final long MAX_WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

  private final TreeMap<Deadline, Runnable> steps = new TreeMap<>();
  private final Queue<Runnable> submittedSteps = new ConcurrentLinkedQueue<>();
  private final Runnable wake;
  private long scheduledCount;

  /** {@code wake} interrupts the thread's wait. */
  DeadlineQueue(Runnable wake) {
    this.wake = wake;
  }

  /** Runs a step after this delay. Running the returned object cancels the step. */
  public Runnable schedule(Duration after, Runnable step) {
    Deadline deadline = new Deadline(System.nanoTime() + after.toNanos(), scheduledCount++);
    steps.put(deadline, step);
    return () -> steps.remove(deadline);
  }

  /** Runs a step as soon as possible. May be called from any thread. */
  public void execute(Runnable step) {
    submittedSteps.add(step);
    wake.run();
  }

  /** Returns the nanoseconds until the next step is due; one hour if there is none. */
  long nanosUntilNext(long now) {
    if (!submittedSteps.isEmpty()) {
      return 0;
    }
    return steps.isEmpty() ? MAX_WAIT_NANOS : steps.firstKey().nanos() - now;
  }

  /**
   * Runs the due steps. A step submitted by one of them runs in the next call, so that other work
   * is not delayed.
   */
  void runDue(long now) {
    for (int left = submittedSteps.size(); left > 0; left--) {
      run(submittedSteps.remove());
    }
    while (!steps.isEmpty() && steps.firstKey().nanos() - now <= 0) {
      run(steps.pollFirstEntry().getValue());
    }
  }

  /** An exception in one step does not affect the others. */
  private static void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error("A step fails", e);
    }
  }
}
