package io.tony.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.client.application.ExitCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LauncherProcessTest {
  private static final ProcessHandle PARENT = ProcessHandle.current().parent().orElseThrow();

  private static final String CLASS_PATH =
      Stream.of(
              System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                  .split(":"))
          .map(entry -> Path.of(entry).toAbsolutePath().toString())
          .collect(Collectors.joining(":"));

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  private static Optional<ProcessHandle> named(long pid) {
    return LauncherProcess.of(Map.of("TONY_STARTER", Long.toString(pid))).process();
  }

  @Test
  public void shouldBeTheAncestorThatTheEnvironmentNames() {
    assertEquals(Optional.of(PARENT), LauncherProcess.of(Map.of()).process());
    assertEquals(Optional.of(PARENT), LauncherProcess.of(Map.of("TONY_STARTER", "")).process());
    assertEquals(Optional.of(PARENT), named(PARENT.pid()));
    assertEquals(PARENT.parent(), PARENT.parent().flatMap(above -> named(above.pid())));
  }

  @Test
  public void shouldBeOneThatLivesAndIsNoAncestor() throws Exception {
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      assertEquals(Optional.of(other.toHandle()), named(other.pid()));
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  public void shouldEndTheClientThatCameTooLate() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                CLASS_PATH,
                TonyCli.class.getName(),
                "submit",
                "-status_file",
                temporary.getRoot() + "/status",
                "-executes",
                "true"));
    builder.environment().put("TONY_STARTER", Long.toString(ended.pid()));
    Process client = builder.redirectErrorStream(true).start();

    String output =
        new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertTrue(output, output.startsWith("The process that started this client has ended"));
    assertEquals(ExitCode.END_UNKNOWN.code(), client.waitFor());
  }
}
