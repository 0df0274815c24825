package io.tony.client.output;

import static org.junit.Assert.assertEquals;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.Test;

/** Times in {@code tony status}. */
public class TimeAgoTest {
  private static final Instant NOW = Instant.parse("2026-11-27T12:02:10.123456789Z");

  private static String ago(String at) {
    return TimeAgo.format(Instant.parse(at), NOW, ZoneId.of("Asia/Shanghai"));
  }

  @Test
  public void shouldSayHowLongAgoItWasAndWhen() {
    assertEquals("5 s ago (2026-11-27 20:02:05)", ago("2026-11-27T12:02:05.000000001Z"));
    assertEquals("2m 5s ago (2026-11-27 20:00:05)", ago("2026-11-27T12:00:05Z"));
    assertEquals("25h 2m ago (2026-11-26 19:00:05)", ago("2026-11-26T11:00:05Z"));
    assertEquals("8 days ago (2026-11-19 20:00:00)", ago("2026-11-19T12:00:00Z"));
  }

  @Test
  public void shouldNotCountBackwardsWhereClocksDiffer() {
    assertEquals("just now (2026-11-27 20:02:12)", ago("2026-11-27T12:02:12Z"));
  }
}
