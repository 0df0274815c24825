package io.tony.executor.settings;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.Test;

public class ExecutorSettingsTest {
  private static final ExecutorSettings SETTINGS =
      new ExecutorSettings(
          new TaskKey(
              new TaskId("my-worker_2", 11), 3, "container_e1_1700000000000_0001_01_000002"),
          "node-7.example.com",
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 4242),
          "auth-conf,auth",
          "hdfs://ns1:8020/user/größer/$HOME `id` \"a\"/application_1_0001/master",
          Duration.ofMinutes(15),
          Duration.ofMillis(250),
          Duration.ofHours(2),
          Duration.ofMinutes(30),
          Duration.ofSeconds(3),
          20,
          true,
          true,
          "bond0 $HOME",
          true,
          new ExecutorSettings.Preflight("test -e \"$HOME/größer\"", Duration.ofMinutes(1), 8),
          new ExecutorSettings.Sampling(
              Duration.ofSeconds(5), 8, "/opt/größer/$HOME `id` \"a\"/nvidia-smi"));

  @Test
  public void shouldReadWhatItWrites() {
    assertEquals(SETTINGS, ExecutorSettings.from(SETTINGS.toEnvironment()));
  }

  /** YARN writes the environment into a shell script. */
  @Test
  public void shouldHoldNothingThatAShellWouldTouch() {
    Pattern plain = Pattern.compile("[A-Za-z0-9_.:%+-]+");
    SETTINGS
        .toEnvironment()
        .forEach((name, value) -> assertTrue(name + "=" + value, plain.matcher(value).matches()));
  }

  @Test
  public void shouldKeepItsVariablesFromTheProgram() {
    SETTINGS
        .toEnvironment()
        .keySet()
        .forEach(name -> assertTrue(ExecutorSettings.isExecutorVariable(name)));
    assertFalse(ExecutorSettings.isExecutorVariable("TONY_PROGRESS_FILE"));
  }

  @Test
  public void shouldNameTheVariableThatIsMissing() {
    Map<String, String> environment = new HashMap<>(SETTINGS.toEnvironment());
    environment.remove("TONY_EXECUTOR_HOST");

    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> ExecutorSettings.from(environment));

    assertEquals(
        "TONY_EXECUTOR_HOST is not set: an executor is started by its AM only", e.getMessage());
  }
}
