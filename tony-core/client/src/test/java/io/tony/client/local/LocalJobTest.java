package io.tony.client.local;

import static org.junit.Assert.assertEquals;

import io.tony.config.TonyConfig;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class LocalJobTest {
  @Test
  public void shouldRunOnTheClientsJavaWhereTheJobNamesAnArchiveOrAPathOfTheNodes() {
    for (String key : List.of("tony.java.archive", "tony.java.home")) {
      TonyConfig job =
          TonyConfig.builder()
              .layer("the test", Map.of(key, "hdfs:///jdk17.zip", "tony.worker.instances", "1"))
              .build();

      assertEquals(List.of(key), LocalJob.ignoredOptions(job));
    }
  }
}
