package io.tony.executor.program;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.executor.program.HangDetector.Activity;
import java.time.Duration;
import java.util.List;
import org.junit.Test;

public class HangDetectorTest {
  private static final Duration WINDOW = Duration.ofSeconds(100);

  private final HangDetector watch = new HangDetector(WINDOW);
  private Duration now = Duration.ofHours(1);
  private Duration cpu = Duration.ZERO;
  private String file = "0 bytes";
  private boolean hangs;

  /** Looks at the program as often as it is to be looked at, for so many seconds. */
  private void watchFor(long seconds, double cores) {
    long looks = Duration.ofSeconds(seconds).dividedBy(watch.interval());
    for (int i = 0; i < looks && !hangs; i++) {
      now = now.plus(watch.interval());
      cpu = cpu.plusNanos((long) (watch.interval().toNanos() * cores));
      look();
    }
  }

  private void look() {
    hangs = watch.observe(now, new Activity(List.of(file, "none"), cpu));
  }

  @Test
  public void shouldFindAHangWhenThereWasNoSignOfLifeForTheWholeWindow() {
    look();
    watchFor(95, 0.0);
    assertFalse(hangs);

    watchFor(5, 0.0);

    assertTrue(hangs);
    assertEquals(Duration.ofHours(1).plus(WINDOW), now);
  }

  @Test
  public void shouldNotMindTheLittleTimeThatAWaitingProcessUses() {
    look();
    watchFor(100, 0.009);
    assertTrue(hangs);
  }

  @Test
  public void shouldSeeThatAProgramComputes() {
    look();
    watchFor(10_000, 0.011);
    assertFalse(hangs);
  }

  @Test
  public void shouldCountFromTheLastChangeOfAFile() {
    look();
    watchFor(95, 0.0);
    file = "1 byte";
    watchFor(95, 0.0);
    assertFalse(hangs);

    watchFor(10, 0.0);

    assertTrue(hangs);
  }

  /** The window moves: work before it does not count, however much it was. */
  @Test
  public void shouldFindAHangAfterMuchWork() {
    look();
    watchFor(10_000, 1.0);
    assertFalse(hangs);

    watchFor(98, 0.0);
    assertFalse(hangs);
    watchFor(10, 0.0);

    assertTrue(hangs);
  }

  @Test
  public void shouldSeeASignOfLifeInAProcessThatEnds() {
    look();
    watchFor(50, 0.1);
    watchFor(45, 0.0);
    cpu = Duration.ZERO;
    watchFor(95, 0.0);
    assertFalse(hangs);
  }

  /** A container that was frozen, or a node that slept, stood still as a whole. */
  @Test
  public void shouldNotCountTimeInWhichNobodyLooked() {
    look();
    watchFor(50, 0.0);
    now = now.plus(Duration.ofHours(3));
    look();
    assertFalse(hangs);

    watchFor(95, 0.0);
    assertFalse(hangs);
    watchFor(5, 0.0);
    assertTrue(hangs);
  }
}
