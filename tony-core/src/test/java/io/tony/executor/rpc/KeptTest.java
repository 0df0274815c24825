package io.tony.executor.rpc;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class KeptTest {
  private final Kept kept = new Kept("set", true, 7, 3, 1, null, "a.pt", "hdfs://c/a.pt", 0);

  @Test
  public void shouldSayWhatBecameOfIt() {
    assertEquals("kept as hdfs://c/a.pt", kept.outcome());
    assertEquals("not kept: no room", kept.because("no room").outcome());
  }
}
