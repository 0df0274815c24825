package io.tony.am.http;

import java.time.Duration;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one thread is to do later. Used by that thread alone, but for {@link #execute}. */
public final class DeadlineQueue {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlineQueue.class);

  /** Two for the same instant ring in their order. */
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

  /** {@code wake} ends the thread's wait for whatever else it waits for. */
  DeadlineQueue(Runnable wake) {
    this.wake = wake;
  }

  /** Does a step after this time; what is returned prevents it. */
  public Runnable schedule(Duration after, Runnable step) {
    Deadline deadline = new Deadline(System.nanoTime() + after.toNanos(), scheduledCount++);
    steps.put(deadline, step);
    return () -> steps.remove(deadline);
  }

  /** Has a step done as soon as possible. For any thread. */
  public void execute(Runnable step) {
    submittedSteps.add(step);
    wake.run();
  }

  /** An hour when nothing is to be done. */
  long nanosUntilNext(long now) {
    if (!submittedSteps.isEmpty()) {
      return 0;
    }
    return steps.isEmpty() ? MAX_WAIT_NANOS : steps.firstKey().nanos() - now;
  }

  /** Does what is due, but for what that leads to: others get their turn before. */
  void runDue(long now) {
    for (int left = submittedSteps.size(); left > 0; left--) {
      run(submittedSteps.remove());
    }
    while (!steps.isEmpty() && steps.firstKey().nanos() - now <= 0) {
      run(steps.pollFirstEntry().getValue());
    }
  }

  /** A defect in one step costs nobody the others. */
  private static void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error("A step fails", e);
    }
  }
}
