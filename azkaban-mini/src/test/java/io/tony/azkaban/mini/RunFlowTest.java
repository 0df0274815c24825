package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.testing.FlowFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** Runs the command as its users do: as a process of its own. */
public class RunFlowTest {

  private static final int SIGTERM_EXIT = 143;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout timeout = Timeout.seconds(120);

  private FlowFolder files;
  private Process process;

  @Before
  public void makeFlowFolder() throws IOException {
    files = FlowFolder.in(temporary.getRoot().toPath().resolve("flow"));
  }

  @After
  public void leaveNoProcess() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  public void shouldStreamLogsAndPrintATableAndExitZero() throws Exception {
    files
        .job("first", "type=command", "command=bash -c 'echo see http://localhost:1/a b $0' ${who}")
        .job(
            "second",
            "type=command",
            "dependencies=first",
            "command=cat event.txt",
            "env.GIVEN=http://localhost:3")
        .file("event.txt", "tony-events [{\"kind\":\"x\"}]", "für alle");

    String output = String.join("\n", run("--property", "who=you"));

    assertEquals(output, 0, process.exitValue());
    assertTrue(output, output.contains("first  | see http://localhost:1/a b you"));
    assertTrue(output, output.contains("second | für alle"));
    assertTrue(output, output.contains("second * RUNNING\n"));
    assertTrue(output, output.contains("second * SUCCEEDED\n"));
    assertFalse(output, output.contains("tony-event"));
    assertFalse("no colours without a terminal", output.contains("\033"));
    assertMatches(output, "job +status +attempts +duration +link");
    assertMatches(output, "first +SUCCEEDED +1 +[0-9.]+ s +http://localhost:1/a");
    assertMatches(output, "second +SUCCEEDED +1 +[0-9.]+ s +-");
    assertMatches(output, "Flow second, execution 1: SUCCEEDED in [0-9.]+ s");
  }

  @Test
  public void shouldPreferATrackingUrlToALinkOfTheLog() throws Exception {
    files
        .file(
            "write.py",
            "import json, os",
            "print('http://localhost:1/log')",
            "json.dump({'tony.tracking.url': 'http://localhost:2/app'},",
            "  open(os.environ['JOB_OUTPUT_PROP_FILE'], 'w'))")
        .job("job", "type=command", "command=python3 write.py");

    String output = String.join("\n", run());

    assertMatches(output, "job +SUCCEEDED +1 +[0-9.]+ s +http://localhost:2/app");
  }

  @Test
  public void shouldShowTheEndOfAFailedJobsLogAndExitOne() throws Exception {
    files
        .job("first", "type=command", "retries=1", "command=bash -c 'echo the reason >&2; exit 3'")
        .job("second", "type=command", "dependencies=first", "command=echo never");

    String output = String.join("\n", run());

    assertEquals(output, 1, process.exitValue());
    assertMatches(output, "first +FAILED +2 .*");
    assertMatches(output, "second +CANCELLED +0 +- +-");
    assertMatches(output, "Job first failed in each of 2 attempts. The end of its log:");
    assertTrue(output, output.contains("\n    the reason\n"));
    assertMatches(output, "Whole log: .*_job.1.1.first.log");
  }

  @Test
  public void shouldNameAllBadArgumentsAndExitTwo() throws Exception {
    start(List.of("--flow", "no-such-folder", "--property", "x", "--execution-id", "?", "--odd"));
    List<String> errors =
        new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();

    assertEquals(2, process.waitFor());
    assertEquals(
        errors.toString(), 5, errors.stream().filter(it -> it.startsWith("error: ")).count());
  }

  @Test
  public void shouldKillTheFlowOnSigterm() throws Exception {
    files
        .job("long", "type=command", "command=bash -c 'echo pid $$; exec sleep 600'")
        .job("last", "type=command", "dependencies=long", "command=echo never");
    start(arguments());
    List<String> lines = new ArrayList<>();
    long pid = -1;
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
        if (line.startsWith("long | pid ")) {
          pid = Long.parseLong(line.substring("long | pid ".length()));
          process.toHandle().destroy();
        }
      }
    }

    String output = String.join("\n", lines);
    assertTrue(output, process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(output, SIGTERM_EXIT, process.exitValue());
    assertMatches(output, "long +KILLED +1 .*");
    assertMatches(output, "last +CANCELLED +0 .*");
    assertMatches(output, "Flow last, execution 1: KILLED in .*");
    assertFalse(output, ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
  }

  private List<String> run(String... more) throws IOException, InterruptedException {
    List<String> arguments = arguments();
    arguments.addAll(List.of(more));
    start(arguments);
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      List<String> lines = reader.lines().toList();
      process.waitFor();
      return lines;
    }
  }

  private List<String> arguments() {
    Path work = temporary.getRoot().toPath().resolve("work");
    return new ArrayList<>(List.of("--flow", files.folder().toString(), "--work", work.toString()));
  }

  private void start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-Dfile.encoding=UTF-8"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), RunFlow.class.getName()));
    command.addAll(arguments);
    process = new ProcessBuilder(command).start();
  }

  private static void assertMatches(String output, String line) {
    assertTrue(
        "no line like '" + line + "' in:\n" + output,
        output.lines().anyMatch(it -> it.matches(line)));
  }
}
