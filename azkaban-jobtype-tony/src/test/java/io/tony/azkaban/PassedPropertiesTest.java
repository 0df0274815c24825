package io.tony.azkaban;

import static org.junit.Assert.assertEquals;

import io.tony.config.JobTranslation;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public final class PassedPropertiesTest {

  @Test
  public void shouldPassEveryKeyThatTheClientReads() {
    List<String> missing =
        JobTranslation.keys().stream()
            .map(key -> key.endsWith(".") ? key + "name" : key)
            .filter(key -> !PassedProperties.isPassed(key))
            .toList();

    assertEquals(List.of(), missing);
  }

  @Test
  public void shouldLeaveEverythingElseBehind() {
    assertEquals(
        Map.of("tony.worker.instances", "4"),
        PassedProperties.of(
            Map.of(
                "tony.worker.instances", "4",
                "tony.client.java.home", "/jdk",
                "tony.client.jvm.args", "-Xmx1g",
                "tony.client.classpath", "/jars",
                "hadoop.home", "/hadoop",
                "mysql.password", "secret",
                "site.tony.yarn.queue", "forged",
                "env.TOKEN", "secret"),
            Map.of()));
  }

  @Test
  public void shouldMarkTheAdministratorsDefaults() {
    assertEquals(
        Map.of("site.tony.yarn.queue", "training", "tony.am.memory", "2g"),
        PassedProperties.of(
            Map.of("tony.yarn.queue", "training", "tony.am.memory", "2g"),
            Map.of("tony.yarn.queue", "training")));
  }
}
