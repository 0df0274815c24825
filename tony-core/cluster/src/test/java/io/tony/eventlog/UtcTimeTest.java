package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.Test;

public class UtcTimeTest {
  private static final long YEAR_10000 = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond() + 1;

  @Test
  public void shouldReadEveryTimeThatIsWritten() {
    Random random = new Random(41);
    for (int i = 0; i < 100_000; i++) {
      long second = (long) (random.nextDouble() * YEAR_10000);
      int nanos = random.nextInt(1_000_000_000);
      int unit = List.of(1, 1_000, 1_000_000, 1_000_000_000).get(random.nextInt(4));
      Instant time = Instant.ofEpochSecond(second, (long) nanos / unit * unit);
      assertEquals(time, UtcTime.parse(time.toString()));
    }
  }

  @Test
  public void shouldReadWhatElseIsATime() {
    for (String text :
        List.of(
            "2026-10-01T00:00:00.5Z",
            "2026-10-01T00:00:00.50Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
            "2026-10-01T24:00:00Z",
            "2024-02-29T23:59:60Z",
            "-0044-03-15T12:00:00Z",
            "+12026-10-01T00:00:00Z",
            "2026-10-01T00:00Z",
            "2026-10-01T02:00:00+02:00",
            "2026-10-01t00:00:00z")) {
      assertEquals(text, instant(text), read(text));
    }
  }

  @Test
  public void shouldRefuseWhatIsNone() {
    for (String text :
        List.of(
            "",
            "2026-10-01",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-10-01T25:00:00Z",
            "2026-10-01T00:60:00Z",
            "2026-10-01T00:00:00.1234567890Z",
            "2026-10-01T00:00:0\u0660Z",
            "2026-10-01T00:00:0/Z",
            "2026-10-01T00:00:0:Z",
            "2026-10-01T00:00:00.12x4Z",
            "2026-10-01T00:00:000Z",
            "2026-10-01 00:00:00Z",
            "2026-10-01T00:00:00")) {
      assertThrows(text, DateTimeException.class, () -> UtcTime.parse(text));
    }
    assertEquals(instant("2026-10-01T00:00:00.Z"), read("2026-10-01T00:00:00.Z"));
  }

  private static String instant(String text) {
    try {
      return Instant.parse(text).toString();
    } catch (DateTimeException e) {
      return "none";
    }
  }

  private static String read(String text) {
    try {
      return UtcTime.parse(text).toString();
    } catch (DateTimeException e) {
      return "none";
    }
  }
}
