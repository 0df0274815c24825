package io.tony.am.http;

import static org.junit.Assert.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class RejectionLogTest {
  private final List<String> lines = new ArrayList<>();
  private long now = 17;
  private final RejectionLog log = new RejectionLog("pmi", lines::add, () -> now);

  @Test
  public void shouldTellOneLineAMinuteForEachCap() {
    for (int i = 0; i < 1_000; i++) {
      log.logRejection("keys", "100 keys");
      log.logRejection("connections", "8 connections");
    }
    assertEquals(
        List.of("pmi: cap on keys: 100 keys", "pmi: cap on connections: 8 connections"), lines);

    now += Duration.ofMinutes(1).toNanos();
    log.logRejection("keys", "100 keys");

    assertEquals("pmi: cap on keys: 100 keys, and 999 before", lines.get(2));
  }

  @Test
  public void shouldWriteNothingThatACallerCouldForgeALineWith() {
    log.logRejection("nonsense", "a\nb\u001b[2J\u00fc");
    log.logRejection("length", "x".repeat(1_000));
    assertEquals(
        List.of("pmi: cap on nonsense: a?b?[2J?", "pmi: cap on length: " + "x".repeat(200) + "..."),
        lines);
  }
}
