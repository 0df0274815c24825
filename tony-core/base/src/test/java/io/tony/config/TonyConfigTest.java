package io.tony.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.config.declared.AmOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.option.ConfigException;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.Test;

public class TonyConfigTest {
  @Test
  public void shouldLetTheHighestLayerWinAndRememberIt() {
    TonyConfig config =
        TonyConfig.builder()
            .layer("plugin.properties", Map.of("tony.yarn.queue", "a", "tony.am.memory", "1g"))
            .layer("tony.xml", Map.of("tony.yarn.queue", "b"))
            .build();
    assertEquals("b", config.get(JobOptions.QUEUE));
    assertEquals(Optional.of("tony.xml"), config.origin("tony.yarn.queue"));
    assertEquals(1024L, (long) config.get(AmOptions.MEMORY));
    assertEquals(Optional.of("plugin.properties"), config.origin("tony.am.memory"));
    assertEquals(Optional.empty(), config.origin("tony.am.vcores"));
  }

  @Test
  public void shouldAddUpMultiValueKeysFromTheLowestLayerOn() {
    TonyConfig config =
        TonyConfig.builder()
            .layer("site", Map.of("tony.execution.envs", "A=1,B=1"))
            .layer("tony.xml", Map.of("tony.execution.envs", ""))
            .layer("job", Map.of("tony.execution.envs", "B=2"))
            .build();
    assertEquals(Map.of("A", "1", "B", "2"), config.get(ProgramOptions.EXECUTION_ENVS));
    assertEquals(Optional.of("site, job"), config.origin("tony.execution.envs"));
  }

  @Test
  public void shouldFallBackToDefaultsAndSayWhenThereIsNone() {
    TonyConfig config = TonyConfig.builder().build();
    assertEquals("default", config.get(JobOptions.QUEUE));
    assertEquals(Duration.ofSeconds(3), config.get(TaskOptions.STOP_GRACE));
    assertEquals(Optional.empty(), config.find(TaskOptions.JAVA_HOME));
    assertFalse(config.isSet(JobOptions.QUEUE));
    ConfigException error =
        assertThrows(ConfigException.class, () -> config.get(TaskOptions.JAVA_HOME));
    assertEquals(
        "tony.java.home is not set and has no default: set it to a name", error.getMessage());
  }

  @Test
  public void shouldNameKeyValueAndOriginOfAMalformedValue() {
    TonyConfig config =
        TonyConfig.builder().layer("tony.xml", Map.of("tony.am.vcores", "two")).build();
    ConfigException error = assertThrows(ConfigException.class, () -> config.get(AmOptions.VCORES));
    assertEquals(
        "tony.am.vcores=two (tony.xml): expected a whole number, at least 1", error.getMessage());
  }

  @Test
  public void shouldReadDeprecatedNamesAsTheCurrentOnes() {
    TonyConfig config =
        TonyConfig.builder()
            .layer("site", Map.of("tony.task.heartbeat-interval-ms", "100"))
            .layer("job", Map.of("tony.task.heartbeat-interval", "200"))
            .build();
    assertEquals(Duration.ofMillis(200), config.get(TaskOptions.HEARTBEAT_INTERVAL));
    assertEquals(Map.of("tony.task.heartbeat-interval-ms", "200"), config.asMap());
  }

  @Test
  public void shouldPreferTheCurrentNameToADeprecatedOneInTheSameLayer() {
    Map<String, String> both = new LinkedHashMap<>();
    both.put("tony.task.heartbeat-interval-ms", "100");
    both.put("tony.task.heartbeat-interval", "200");
    TonyConfig config = TonyConfig.builder().layer("job", both).build();
    assertEquals(Duration.ofMillis(100), config.get(TaskOptions.HEARTBEAT_INTERVAL));
  }

  @Test
  public void shouldReadOptionsByTheirNamesOf020() {
    Map<String, String> former = new HashMap<>();
    former.put("tony.checkpoint.ask-signal", "usr1");
    former.put("tony.checkpoint.ask-timeout", "7s");
    former.put("tony.am.stop-futile-retries", "false");
    former.put("tony.application.gang-hold-timeout", "3s");
    former.put("tony.application.gang-back-off", "4s");
    former.put("tony.azkaban.client-gone-after", "5s");
    former.put("tony.elastic.join-running", "true");

    TonyConfig config = TonyConfig.builder().layer("train.job", former).build();

    assertEquals(
        Map.of(
            "tony.checkpoint.request-signal", "usr1",
            "tony.checkpoint.request-timeout", "7s",
            "tony.gang.stop-repeated-failures", "false",
            "tony.gang.partial-allocation-timeout", "3s",
            "tony.gang.allocation-backoff", "4s",
            "tony.azkaban.client-stale-after", "5s",
            "tony.elastic.live-resize", "true"),
        config.asMap());
  }

  @Test
  public void shouldNameTheKeyThatTheSourceUses() {
    TonyConfig config =
        TonyConfig.builder().layer("train.job", Map.of("tony.am.retry-count", "two")).build();
    ConfigException error =
        assertThrows(ConfigException.class, () -> config.get(AmOptions.RETRY_COUNT));
    assertEquals(
        "tony.gang.max-restarts=two (train.job, as tony.am.retry-count): expected a whole number,"
            + " at least 0",
        error.getMessage());
  }

  @Test
  public void shouldKeepWhatIsFinalUnderAnotherName() {
    Map<String, String> values = Map.of("tony.am.retry-count", "0", "tony.gang.max-restarts", "3");
    TonyConfig config =
        TonyConfig.builder()
            .layer("site", new TonyXml(values, Set.of("tony.am.retry-count")))
            .layer("train.job", Map.of("tony.am.retry-count", "5"))
            .build();
    assertEquals(Integer.valueOf(0), config.get(AmOptions.RETRY_COUNT));
    assertEquals(
        List.of(new TonyConfig.OverriddenValue("tony.am.retry-count", "train.job", "site")),
        config.overriddenValues());
  }

  @Test
  public void shouldListRolesInTheCustomaryOrder() {
    Map<String, String> values = new LinkedHashMap<>();
    for (String role : List.of("zeta", "evaluator", "worker", "alpha", "ps", "chief", "master")) {
      values.put("tony." + role + ".instances", "1");
    }
    values.put("tony.worker.memory", "1g");
    values.put("tony.ghost.memory", "1g");
    values.put("tony.alpha.instances", "0");
    assertEquals(
        List.of("chief", "master", "ps", "worker", "evaluator", "alpha", "zeta"),
        TonyConfig.builder().layer("job", values).build().roles());
  }

  @Test
  public void shouldWriteAndReadAnyValueUnchanged() throws IOException {
    Map<String, String> values =
        Map.of(
            "tony.execution.env.A", "  two\nlines\r\n\tand a tab ",
            "tony.execution.env.B", "$HOME `id` \"q\" 'q' \\ # ! : =",
            "tony.execution.env.C", "Grüße \u4f60\u597d \ud83d\ude80 \u2028 \u0085",
            "tony.execution.env.D", "",
            "#odd key", "x");
    TonyConfig config = TonyConfig.builder().layer("job", values).build();
    StringWriter text = new StringWriter();
    config.write(text);
    assertEquals(values, TonyConfig.read(new StringReader(text.toString())).asMap());
  }

  @Test
  public void shouldWriteTheSameTextEveryTime() throws IOException {
    StringWriter text = new StringWriter();
    TonyConfig.builder()
        .layer("job", Map.of("tony.yarn.queue", "q", "tony.am.memory", "1g"))
        .build()
        .write(text);
    assertEquals("tony.am.memory=1g\ntony.yarn.queue=q\n", text.toString());
  }

  @Test
  public void shouldShowNoSecret() {
    Map<String, String> shown =
        TonyConfig.builder()
            .layer(
                "job",
                Map.of(
                    "tony.execution.env.DB_PASSWORD",
                    "hunter2",
                    "tony.worker.env.AWS_SECRET_ACCESS_KEY",
                    "hunter2",
                    "tony.execution.envs",
                    "A=1,API_TOKEN=hunter2,MORE=x",
                    "tony.containers.envs",
                    "MY_SECRET=hun,ter2,B=http://u:hunter2@h/x",
                    "tony.application.task-params",
                    "--url jdbc:pg://me:hunter2@host/db --password hunter2 --token='hunter2 x' -v",
                    "tony.yarn.queue",
                    "q"))
            .build()
            .masked();
    assertEquals("******", shown.get("tony.execution.env.DB_PASSWORD"));
    assertEquals("******", shown.get("tony.worker.env.AWS_SECRET_ACCESS_KEY"));
    assertEquals("A=1,API_TOKEN=******,MORE=x", shown.get("tony.execution.envs"));
    assertEquals("MY_SECRET=******,B=http://******@h/x", shown.get("tony.containers.envs"));
    assertEquals(
        "--url jdbc:pg://******@host/db --password ****** --token=****** -v",
        shown.get("tony.application.task-params"));
    assertEquals("q", shown.get("tony.yarn.queue"));
  }

  @Test
  public void shouldShowNoSecretInAString() {
    TonyConfig config =
        TonyConfig.builder().layer("job", Map.of("tony.execution.env.TOKEN", "hunter2")).build();
    assertFalse(config.toString().contains("hunter2"));
    assertTrue(config.asMap().containsValue("hunter2"));
  }
}
