package io.tony.am.serve;

import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What one thread is to do later. Used by that thread alone. */
public final class Alarms {
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
  private long set;

  /** Does a step after this time; what is returned prevents it. */
  public Runnable set(Duration after, Runnable step) {
    Due due = new Due(System.nanoTime() + after.toNanos(), set++);
    steps.put(due, step);
    return () -> steps.remove(due);
  }

  /** An hour when nothing is to be done. */
  long nanosUntilNext(long now) {
    return steps.isEmpty() ? NO_ALARM_NANOS : steps.firstKey().nanos() - now;
  }

  /** Does what is due. */
  void ring(long now) {
    while (!steps.isEmpty() && steps.firstKey().nanos() - now <= 0) {
      steps.pollFirstEntry().getValue().run();
    }
  }
}
