package io.tony.mini;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what Hadoop's daemons and the operating system send no event about. */
final class Await {

  private static final long POLL_MILLIS = 20;

  private Await() {}

  static void until(BooleanSupplier condition, Duration deadline, Supplier<String> awaited)
      throws InterruptedException, TimeoutException {
    if (!within(deadline, condition)) {
      throw new TimeoutException(
          "waited " + deadline.toSeconds() + " s in vain for " + awaited.get());
    }
  }

  /** Whether the condition came true in time. */
  static boolean within(Duration deadline, BooleanSupplier condition) throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > deadline.toNanos()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    return true;
  }
}
