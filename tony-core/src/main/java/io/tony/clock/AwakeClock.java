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
 * Counts the time in which this process runs. A standstill counts for no more than {@link
 * #MAX_GAP}: a paused machine, a stopped process, a frozen container. Whatever limits how long
 * somebody else may be silent is measured by this clock, because nobody can be heard during a
 * standstill.
 *
 * <p>As an {@link InstantSource} its instants say only how far they are apart. For use by several
 * threads.
 */
public final class AwakeClock implements InstantSource {
  /** More time than this between two ticks is a standstill. */
  public static final Duration MAX_GAP = Duration.ofSeconds(1);

  private static final Duration TICK = Duration.ofMillis(250);

  private static final AwakeClock OF_THIS_PROCESS = ofThisProcess();

  private final LongSupplier steadyNanos;
  private volatile Consumer<Duration> onStandstill = standstill -> {};
  private long maxGapNanos = MAX_GAP.toNanos();
  private long tickedAtNanos;
  private long countedNanos;

  /**
   * A clock that its owner has to {@link #tick} several times within {@link #MAX_GAP}.
   *
   * @param steadyNanos goes on during a standstill, as {@link System#nanoTime} does
   */
  public AwakeClock(LongSupplier steadyNanos) {
    this.steadyNanos = steadyNanos;
    this.tickedAtNanos = steadyNanos.getAsLong();
  }

  private static AwakeClock ofThisProcess() {
    AwakeClock clock = new AwakeClock(System::nanoTime);
    try {
      Spawner.SYSTEM.startThread("awake-clock", clock::tickForever);
    } catch (IOException e) { // every standstill counts
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

  /** The clock of this process, which ticks. */
  public static AwakeClock get() {
    return OF_THIS_PROCESS;
  }

  /** The time of this process in nanoseconds: a number as of {@link System#nanoTime}. */
  public static long nanoTime() {
    return OF_THIS_PROCESS.nanos();
  }

  /**
   * The result of a task of another thread.
   *
   * @throws TimeoutException when there is none after so much time of this process
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

  /** Tells of each standstill how long it was, by the thread that ticks. */
  public void onStandstill(Consumer<Duration> listener) {
    onStandstill = listener;
  }

  /** The time that counts, in nanoseconds; it never goes back. */
  public synchronized long nanos() {
    return countedNanos + Math.min(steadyNanos.getAsLong() - tickedAtNanos, maxGapNanos);
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH.plusNanos(nanos());
  }

  /** Counts the time since the last tick, or {@link #MAX_GAP} of it. */
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
