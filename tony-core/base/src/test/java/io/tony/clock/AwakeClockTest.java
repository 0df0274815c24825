package io.tony.clock;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.Test;

public class AwakeClockTest {
  private final AtomicLong steady = new AtomicLong(-7);
  private final AwakeClock clock = new AwakeClock(steady::get);

  private void pass(Duration time) {
    steady.addAndGet(time.toNanos());
  }

  @Test
  public void shouldCountTheTimeInWhichItTicks() {
    for (int i = 0; i < 100; i++) {
      pass(Duration.ofMillis(250));
      clock.tick();
    }
    pass(Duration.ofMillis(100));

    assertEquals(Instant.EPOCH.plusMillis(25_100), clock.instant());
  }

  @Test
  public void shouldCountNoStandstillWhoeverLooksFirst() {
    List<Duration> standstills = new ArrayList<>();
    clock.onStandstill(standstills::add);
    pass(Duration.ofSeconds(100));

    assertEquals("before it ticks", AwakeClock.MAX_GAP.toNanos(), clock.nanos());
    clock.tick();
    assertEquals("after it has ticked", AwakeClock.MAX_GAP.toNanos(), clock.nanos());
    assertEquals(List.of(Duration.ofSeconds(100)), standstills);
    pass(Duration.ofMillis(5));
    assertEquals(AwakeClock.MAX_GAP.plusMillis(5).toNanos(), clock.nanos());
  }

  @Test
  public void shouldTickInThisProcess() {
    long begin = AwakeClock.nanoTime();
    long steadyBegin = System.nanoTime();
    while (AwakeClock.nanoTime() - begin < 2 * AwakeClock.MAX_GAP.toNanos()) {
      Thread.onSpinWait(); // without ticks it would never get so far
    }
    assertTrue(System.nanoTime() - steadyBegin >= 2 * AwakeClock.MAX_GAP.toNanos());
  }

  @Test
  public void shouldGiveUpATaskAfterItsTime() throws Exception {
    assertEquals(
        "done", AwakeClock.await(CompletableFuture.completedFuture("done"), Duration.ZERO));
    assertThrows(
        TimeoutException.class,
        () -> AwakeClock.await(new CompletableFuture<>(), Duration.ofMillis(20)));
  }
}
