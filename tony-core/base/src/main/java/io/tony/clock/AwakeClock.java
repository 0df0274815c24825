package io.tony.clock;

import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Clock for timeouts that stops while this process cannot run, for example because the machine, the
 * container or the process is paused. A standstill of any length counts as at most {@link
 * #MAX_GAP}. With an ordinary clock, the process would find after a standstill that other processes
 * have sent nothing for too long, and would count them as lost.
 *
 * <p>The instants of this {@link InstantSource} are not calendar times; only differences between
 * them are meaningful. Thread-safe.
 */
public final class AwakeClock implements InstantSource {
  /**
   * Maximum time that one interval between two ticks adds to the clock. A longer interval is a
   * standstill.
   */
  public static final Duration MAX_GAP = Duration.ofSeconds(1);

  private static final Duration TICK = Duration.ofMillis(250);

  private static final AwakeClock OF_THIS_PROCESS = ofThisProcess();

  private final LongSupplier steadyNanos;
  private volatile Consumer<Duration> onStandstill = standstill -> {};
  private long maxGapNanos = MAX_GAP.toNanos();
  private long tickedAtNanos;
  private long countedNanos;

  /**
   * Creates a clock. The caller must call {@link #tick} several times within each {@link #MAX_GAP};
   * otherwise the clock is slow.
   *
   * @param steadyNanos returns the nanoseconds of a monotonic clock that continues during a
   *     standstill, such as {@link System#nanoTime}
   */
  public AwakeClock(LongSupplier steadyNanos) {
    this.steadyNanos = steadyNanos;
    this.tickedAtNanos = steadyNanos.getAsLong();
  }

  private static AwakeClock ofThisProcess() {
    AwakeClock clock = new AwakeClock(System::nanoTime);
    try {
      Spawner.SYSTEM.startThread("awake-clock", clock::tickForever);
    } catch (IOException e) { // No thread ticks the clock, so count all time, standstills included.
      clock.maxGapNanos = Long.MAX_VALUE;
    }
    return clock;
  }

  private void tickForever() {
    try {
      while (true) {
        TimeUnit.NANOSECONDS.sleep(TICK.toNanos());
        tick();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the clock of this process. A background thread ticks it. */
  public static AwakeClock get() {
    return OF_THIS_PROCESS;
  }

  /**
   * Returns the time of this process's clock in nanoseconds. As with {@link System#nanoTime}, only
   * differences between two values are meaningful.
   */
  public static long nanoTime() {
    return OF_THIS_PROCESS.nanos();
  }

  /**
   * Waits for the result of a task that runs on another thread.
   *
   * @param limit maximum time to wait, by this process's clock
   * @throws TimeoutException if the task is not done within {@code limit}
   */
  public static <T> T await(Future<T> task, Duration limit)
      throws InterruptedException, ExecutionException, TimeoutException {
    long deadline = nanoTime() + limit.toNanos();
    while (true) {
      long left = deadline - nanoTime();
      try {
        return task.get(Math.max(0, left), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        if (deadline - nanoTime() <= 0) {
          throw e;
        }
      }
    }
  }

  /**
   * Sets the listener for standstills, which replaces the previous one. The listener gets the
   * length of each standstill, on the thread that calls {@link #tick}.
   */
  public void onStandstill(Consumer<Duration> listener) {
    onStandstill = listener;
  }

  /** Returns the time counted so far in nanoseconds, standstills shortened; never decreases. */
  public synchronized long nanos() {
    return countedNanos + Math.min(steadyNanos.getAsLong() - tickedAtNanos, maxGapNanos);
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(nanos());
  }

  /**
   * Adds the time since the last tick to the clock, at most {@link #MAX_GAP}. If it was longer than
   * that, calls the listener for standstills.
   */
  public void tick() {
    long gap;
    synchronized (this) {
      long now = steadyNanos.getAsLong();
      gap = now - tickedAtNanos;
      countedNanos += Math.min(gap, maxGapNanos);
      tickedAtNanos = now;
    }
    if (gap > maxGapNanos) {
      onStandstill.accept(Duration.ofNanos(gap));
    }
  }
}
