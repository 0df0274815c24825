package io.tony.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class MiniClusterSpecTest {

  @Test
  public void shouldNameEveryProblemAtOnce() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> new MiniClusterSpec(0, 63, 0, 1, Duration.ZERO, false, Map.of()));

    assertEquals(
        List.of(
            "NodeManagers: 0, must be at least 1",
            "MiB of memory per node: 63, must be at least 64",
            "vcores per node: 0, must be at least 1",
            "MiB of the largest container: 1, must be at least 64",
            "node heartbeat: 0 ms, must be at least 1 ms"),
        refused.getMessage().lines().toList());
  }

  @Test
  public void shouldLetAContainerBeAsLargeAsANodeUnlessToldOtherwise() {
    MiniClusterSpec spec = MiniClusterSpec.defaults().withNodeSize(1024, 2);

    assertEquals(1024, spec.largestContainerMiB());
    assertEquals(512, spec.withMaxContainerMemory(512).largestContainerMiB());
  }

  @Test
  public void shouldKeepEarlierSettingsWhenOneIsAdded() {
    MiniClusterSpec spec = MiniClusterSpec.defaults().with("a", "1").with("b", "2").with("a", "3");

    assertEquals(Map.of("a", "3", "b", "2"), spec.hadoopSettings());
  }
}
