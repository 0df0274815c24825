package io.tony.container;

import static org.junit.Assert.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;

public class PollIntervalTest {
  private final PollInterval interval =
      new PollInterval(Duration.ofMillis(100), Duration.ofSeconds(2), Duration.ofSeconds(1));

  private List<Long> next(int count) {
    return Stream.generate(interval::next).limit(count).map(Duration::toMillis).toList();
  }

  @Test
  public void shouldBeShortForAWhileAndThenGrowWithItUpToItsLimit() {
    assertEquals(
        Stream.generate(() -> 100L).limit(20).toList(), next(20)); // until two seconds have passed
    assertEquals(List.of(200L, 220L, 242L), next(3));
    assertEquals(List.of(1000L, 1000L), next(100).subList(98, 100));
  }

  @Test
  public void shouldBeShortAgainAfterAChange() {
    next(50);
    interval.reset();
    assertEquals(List.of(100L, 100L, 100L), next(3));
  }
}
