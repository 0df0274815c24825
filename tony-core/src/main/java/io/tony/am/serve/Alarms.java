package io.tony.am.serve;

import java.time.Duration;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one thread is to do later. Used by that thread alone, but for {@link #soon}. */
public final class Alarms {
  private static final Logger LOG = LoggerFactory.getLogger(Alarms.class);

  /** Two for the same instant ring in their order. */
  private record Due(long nanos, long number) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = Long.signum(nanos - other.nanos); // nanoTime may overflow
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private static final long NO_ALARM_NANOS = TimeUnit.HOURS.toNanos(1);

  private final TreeMap<Due, Runnable> steps = new TreeMap<>();
  private final Queue<Runnable> handed = new ConcurrentLinkedQueue<>();
  private final Runnable wake;
  private long set;

  /** {@code wake} ends the thread's wait for whatever else it waits for. */
  Alarms(Runnable wake) {
    this.wake = wake;
  }

  /** Does a step after this time; what is returned prevents it. */
  public Runnable set(Duration after, Runnable step) {
    Due due = new Due(System.nanoTime() + after.toNanos(), set++);
    steps.put(due, step);
    return () -> steps.remove(due);
  }

  /** Has a step done as soon as possible. For any thread. */
  public void soon(Runnable step) {
    handed.add(step);
    wake.run();
  }

  /** An hour when nothing is to be done. */
  long nanosUntilNext(long now) {
    if (!handed.isEmpty()) {
      return 0;
    }
    return steps.isEmpty() ? NO_ALARM_NANOS : steps.firstKey().nanos() - now;
  }

  /** Does what is due, but for what that leads to: others get their turn before. */
  void ring(long now) {
    for (int left = handed.size(); left > 0; left--) {
      run(handed.remove());
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
