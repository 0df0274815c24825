package io.tony.executor.rpc;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class KeptTest {
  private final CheckpointOutcome kept =
      new CheckpointOutcome("set", true, 7, 3, 1, null, "a.pt", "hdfs://c/a.pt", 0);

  @Test
  public void shouldSayWhatBecameOfIt() {
    assertEquals("kept as hdfs://c/a.pt", kept.summary());
    assertEquals("not kept: no room", kept.withProblem("no room").summary());
  }
}
