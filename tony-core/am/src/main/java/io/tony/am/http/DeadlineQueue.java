package io.tony.am.http;

import java.time.Duration;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of steps that one thread runs, at once or after a delay. Only {@link #execute} may be
 * called from other threads.
 */
public final class DeadlineQueue {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlineQueue.class);

  /** When a step is due. The sequence number orders steps that are due at the same time. */
  private record Deadline(long nanos, long sequence) implements Comparable<Deadline> {
    @Override
    public int compareTo(Deadline other) {
      // Compare the difference, because nanoTime may overflow.
      int byTime = Long.signum(nanos - other.nanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  private static final long MAX_WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

  private final TreeMap<Deadline, Runnable> steps = new TreeMap<>();
  private final Queue<Runnable> submittedSteps = new ConcurrentLinkedQueue<>();
  private final Runnable wake;
  private long scheduledCount;

  /** {@code wake} wakes the thread that runs the steps, if it is waiting. */
  DeadlineQueue(Runnable wake) {
    this.wake = wake;
  }

  /**
   * Schedules a step to run after the delay {@code after}. Returns a {@link Runnable} that, when it
   * is run, cancels the step if the step has not run yet.
   */
  public Runnable schedule(Duration after, Runnable step) {
    Deadline deadline = new Deadline(System.nanoTime() + after.toNanos(), scheduledCount++);
    steps.put(deadline, step);
    return () -> steps.remove(deadline);
  }

  /** Submits a step to run as soon as possible. May be called from any thread. */
  public void execute(Runnable step) {
    submittedSteps.add(step);
    wake.run();
  }

  /** Returns the number of nanoseconds until the next step is due; one hour if there is none. */
  long nanosUntilNext(long now) {
    if (!submittedSteps.isEmpty()) {
      return 0;
    }
    return steps.isEmpty() ? MAX_WAIT_NANOS : steps.firstKey().nanos() - now;
  }

  /**
   * Runs the steps that are due. A step that one of them submits runs in the next call, so that the
   * thread's other work is not delayed.
   */
  void runDue(long now) {
    for (int left = submittedSteps.size(); left > 0; left--) {
      run(submittedSteps.remove());
    }
    while (!steps.isEmpty() && steps.firstKey().nanos() - now <= 0) {
      run(steps.pollFirstEntry().getValue());
    }
  }

  /** Runs a step. Only logs a {@link RuntimeException}, so that the other steps still run. */
  private static void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error("A step fails", e);
    }
  }
}
