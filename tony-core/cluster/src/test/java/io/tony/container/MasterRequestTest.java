package io.tony.container;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import java.util.Map;
import org.junit.Test;

public class MasterRequestTest {
  private static TonyConfig workers(String instances) {
    return TonyConfig.builder().layer("job", Map.of("tony.worker.instances", instances)).build();
  }

  @Test
  public void shouldTellByWhichKeyTheMemoryIsAskedFor() {
    assertEquals("tony.worker.memory", MasterRequest.memoryKey(workers("1"), "worker"));
    assertEquals(
        "a single node's", "tony.am.memory", MasterRequest.memoryKey(workers("0"), "worker"));
    assertEquals("tony.am.memory", MasterRequest.memoryKey(workers("1"), "preprocess"));
  }
}
