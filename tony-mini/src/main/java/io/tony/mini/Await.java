package io.tony.mini;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits, by polling, for conditions for which Hadoop's daemons and the operating system send no
 * events.
 */
final class Await {

  private static final long POLL_MILLIS = 20;

  /**
   * Interval between checks for leftovers, each of which queries YARN and HDFS and reads all of
   * /proc.
   */
  private static final long LEFTOVER_POLL_MILLIS = 50;

  private Await() {}

  /**
   * Finds what jobs have left behind. Returns one line for each thing; an empty list if nothing is
   * left.
   */
  @FunctionalInterface
  interface LeftoverCheck {
    List<String> leftovers() throws IOException, InterruptedException;
  }

  /**
   * Waits until nothing is left or the deadline has passed; returns what is still left.
   *
   * @param deadline the maximum wait, from now
   */
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
