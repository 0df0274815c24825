package io.tony.mini;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Polls for conditions about which Hadoop's daemons and the operating system send no events. */
final class Await {

  private static final long POLL_MILLIS = 20;

  /** Interval between checks that query YARN and HDFS and read all of /proc. */
  private static final long LEFTOVER_POLL_MILLIS = 50;

  private Await() {}

  /** A check of what jobs have left behind. */
  @FunctionalInterface
  interface LeftoverCheck {
    List<String> leftovers() throws IOException, InterruptedException;
  }

  /** Waits until nothing is left; returns what is still left when the deadline has passed. */
  static List<String> untilNoLeftovers(Duration deadline, LeftoverCheck check)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    List<String> leftovers = check.leftovers();
    while (!leftovers.isEmpty() && System.nanoTime() - start < deadline.toNanos()) {
      Thread.sleep(LEFTOVER_POLL_MILLIS);
      leftovers = check.leftovers();
    }
    return leftovers;
  }

  static void until(BooleanSupplier condition, Duration deadline, Supplier<String> awaited)
      throws InterruptedException, TimeoutException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > deadline.toNanos()) {
        throw new TimeoutException(
            "waited " + deadline.toSeconds() + " s in vain for " + awaited.get());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
