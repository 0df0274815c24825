package io.tony.container;

import static org.junit.Assert.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

public class LookIntervalTest {
  private final LookInterval interval =
      new LookInterval(Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofSeconds(1));

  private List<Long> next(int count) {
    return Stream.generate(interval::next).limit(count).map(Duration::toMillis).toList();
  }

  @Test
  public void shouldBeShortForAWhileAndThenDoubleUpToItsLimit() {
    assertEquals(List.of(100L, 100L, 100L, 200L, 400L, 800L, 1000L, 1000L), next(8));
  }

  @Test
  public void shouldBeShortAgainAfterAChange() {
    next(20);
    interval.restart();
    assertEquals(List.of(100L, 100L, 100L, 200L), next(4));
  }
}
