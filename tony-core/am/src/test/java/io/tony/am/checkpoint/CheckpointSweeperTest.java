package io.tony.am.checkpoint;

import static org.junit.Assert.assertEquals;

import io.tony.process.ScarceSystem;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.Test;

/** When old checkpoints are looked for. */
public class CheckpointSweeperTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");

  private final AtomicInteger swept = new AtomicInteger();
  private final CheckpointSweeper sweeper =
      new CheckpointSweeper(
          new FileSystemRetries(UserGroupInformation.createRemoteUser("ada"), LONG, LONG), LONG);

  private int sweptAt(Instant now) throws InterruptedException {
    sweeper.sweepIfDue(swept::incrementAndGet, now);
    return sweptByNow();
  }

  private int sweptByNow() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    sweeper.submit(done::countDown);
    done.await();
    return swept.get();
  }

  /** Where tasks train each for itself, each of their checkpoints may be one too many. */
  @Test
  public void shouldSweepAtTimesWhereItIsSaidAgainAndAgain() throws Exception {
    assertEquals(1, sweptAt(NOW));
    assertEquals(1, sweptAt(NOW.plusSeconds(59)));
    assertEquals(2, sweptAt(NOW.plusSeconds(60)));
    assertEquals(2, sweptAt(NOW.plusSeconds(61)));
    sweeper.sweep(swept::incrementAndGet);
    assertEquals("a set is whole", 3, sweptByNow());
    assertEquals("the clock was set back", 4, sweptAt(NOW));
  }

  @Test
  public void shouldLeaveASweepToTheNextWhereThereIsNoThread() throws Exception {
    int done =
        ScarceSystem.withoutTheNextThread(
            () -> {
              sweeper.sweep(swept::incrementAndGet);
              sweeper.sweep(swept::incrementAndGet);
              return sweptByNow();
            });

    assertEquals(1, done);
  }
}
