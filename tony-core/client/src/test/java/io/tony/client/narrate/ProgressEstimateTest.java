package io.tony.client.narrate;

import static org.junit.Assert.assertEquals;

import io.tony.client.output.DurationText;
import java.time.Duration;
import java.time.Instant;
import org.junit.Test;

public class ProgressEstimateTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  public void shouldTellTheTimeThatIsLeft() {
    ProgressEstimate progress = new ProgressEstimate();

    assertEquals("10/100", progress.withEta("10/100", START));
    assertEquals("20/100 eta 1m 20s", progress.withEta("20/100", START.plusSeconds(10)));
    assertEquals("55/100 eta 10 s", progress.withEta("55/100", START.plusSeconds(10)));
    assertEquals("100/100 eta 0 s", progress.withEta("100/100", START.plusSeconds(90)));
  }

  @Test
  public void shouldCountAnewWhenTheProgramBeginsAnew() {
    ProgressEstimate progress = new ProgressEstimate();
    progress.withEta("50/100", START);

    assertEquals("10/100", progress.withEta("10/100", START.plusSeconds(100)));
    assertEquals("20/100 eta 1m 20s", progress.withEta("20/100", START.plusSeconds(110)));
  }

  @Test
  public void shouldLeaveLinesAloneToWhichItHasNothingToAdd() {
    ProgressEstimate progress = new ProgressEstimate();
    progress.withEta("10/100", START);

    assertEquals("20/100 eta 5s", progress.withEta("20/100 eta 5s", START.plusSeconds(10)));
    assertEquals("no number", progress.withEta("no number", START.plusSeconds(10)));
    assertEquals("10/100", progress.withEta("10/100", START.plusSeconds(10)));
    assertEquals("20/100", progress.withEta("20/100", START));
    assertEquals(
        "20/100 beta=0.9 eta 1m 20s", progress.withEta("20/100 beta=0.9", START.plusSeconds(10)));
  }

  @Test
  public void shouldWriteDurationsAsPeopleReadThem() {
    assertEquals("0 s", DurationText.format(Duration.ZERO));
    assertEquals("0.4 s", DurationText.format(Duration.ofMillis(450)));
    assertEquals("9.9 s", DurationText.format(Duration.ofMillis(9_999)));
    assertEquals("42 s", DurationText.format(Duration.ofMillis(42_900)));
    assertEquals("4m 10s", DurationText.format(Duration.ofSeconds(250)));
    assertEquals("59m 59s", DurationText.format(Duration.ofSeconds(3599)));
    assertEquals("2h 5m", DurationText.format(Duration.ofMinutes(125)));
    assertEquals("49h 0m", DurationText.format(Duration.ofHours(49)));
  }
}
