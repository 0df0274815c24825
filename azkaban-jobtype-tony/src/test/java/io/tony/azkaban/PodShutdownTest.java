package io.tony.azkaban;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import azkaban.utils.Props;
import io.tony.client.TonyCli;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** What a pod does that gets SIGTERM: a JVM of its own, with a running attempt. */
public final class PodShutdownTest {

  private static final String ID = "application_1_0001";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final List<String> lines = new ArrayList<>();
  private Path root;
  private Process pod;
  private List<ProcessHandle> clients = List.of();

  @Before
  public void install() throws IOException {
    root = folder.getRoot().toPath().toRealPath();
    InstalledPlugin.install(root);
    Files.createDirectories(root.resolve("project"));
  }

  @After
  public void endThePod() {
    clients.forEach(ProcessHandle::destroyForcibly);
    if (pod != null) {
      pod.descendants().forEach(ProcessHandle::destroyForcibly);
      pod.destroyForcibly();
    }
  }

  @Test
  public void shouldEndTheApplicationWithItsPodWhereTheFlowIsNotRetried() throws Exception {
    terminate("flow.retry.statuses", "FAILED");

    assertLogged(
        "This pod is being ended, and Azkaban does not retry the flow after EXECUTION_STOPPED: the job"
            + " is stopped.");
    assertLogged("stopped in order");
    assertLogged("train was cancelled (" + ID + ").");
    assertLogged("This pod is being ended: nothing is submitted from it.");
    assertEquals("no file of the attempt", List.of(), temporaryFiles());
  }

  @Test
  public void shouldLeaveTheApplicationToTheNextExecutionWhereTheFlowIsRetried() throws Exception {
    terminate("flow.retry.statuses", "FAILED, EXECUTION_STOPPED");

    assertLogged(
        "This pod is being ended. Azkaban starts the flow again (flow parameter flow.retry.statuses): "
            + ID
            + " is left to run, and the next execution follows it.");
    assertFalse(lines.toString(), lines.contains("stopped in order"));
  }

  @Test
  public void shouldKnowWhetherAFlowIsRetried() {
    assertFalse(isRetried());
    assertFalse(isRetried("flow.max.retries", "2"));
    assertFalse("of a pod that ends in order", isRetried("flow.retry.statuses", "FAILED"));
    assertTrue(isRetried("flow.retry.statuses", "EXECUTION_STOPPED"));
    assertTrue(isRetried("allow.restart.on.execution.stopped", "true"));
    assertFalse(isRetried("flow.retry.statuses", "EXECUTION_STOPPED", "flow.max.retries", "0"));
    assertFalse(
        "the only retry runs",
        isRetried(
            "flow.retry.statuses", "EXECUTION_STOPPED", "azkaban.flow.executionsource", "retry"));
    assertTrue(
        isRetried(
            "flow.retry.statuses",
            "EXECUTION_STOPPED",
            "flow.max.retries",
            "2",
            "azkaban.flow.executionsource",
            "retry"));
  }

  private static boolean isRetried(String... properties) {
    return PodShutdown.isRetried(Props.of(properties));
  }

  /** Runs a pod until its client is up, ends it by SIGTERM and reads all that it says. */
  private void terminate(String... properties) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.add("-Djava.io.tmpdir=" + Files.createDirectory(root.resolve("temporary")));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(PodMain.class.getName());
    command.add(root.toString());
    command.addAll(List.of(properties));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(Map.of("FLOW_EXECUTION_ID", "17", "AZ_HOME", root.toString()));
    pod = builder.start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(pod.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
        if (line.equals("up")) {
          clients = pod.descendants().toList(); // they may outlive it
          pod.toHandle().destroy();
        }
        if (line.contains("is left to run")) {
          break; // the client holds the output
        }
      }
    }
    assertTrue(lines.toString(), pod.waitFor(60, TimeUnit.SECONDS));
  }

  private void assertLogged(String line) {
    assertTrue(lines.toString(), lines.contains(line));
  }

  private List<String> temporaryFiles() throws IOException {
    try (var files = Files.list(root.resolve("temporary"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(".tony"))
          .toList();
    }
  }

  /** One attempt of a job, and a second one where that ends: what Azkaban does in a pod. */
  static final class PodMain {
    private PodMain() {}

    public static void main(String[] args) throws Exception {
      Logger log = Logger.getLogger("job");
      log.setAdditivity(false);
      log.setLevel(Level.INFO);
      log.addAppender(new ConsoleAppender(new PatternLayout("%m%n")));
      Path root = Path.of(args[0]);
      Path project = root.resolve("project");
      Map<String, String> job = new HashMap<>();
      for (int i = 1; i < args.length; i += 2) {
        job.put(args[i], args[i + 1]);
      }
      job.putAll(new ExecutionFolder(project).properties(project));
      job.put(
          TonyCli.STEPS,
          String.join(
              "\n",
              "status application.id=" + ID,
              "on-term stopped in order",
              "status state=KILLED",
              "say up",
              "hang"));
      for (int attempt = 0; attempt < 2; attempt++) {
        Props properties = new Props();
        job.forEach(properties::put);
        Props system = Props.of("plugin.dir", root.resolve("job types/tony").toString());
        try {
          new TonyJob("train", system, properties, log).run();
        } catch (JobFailedException e) {
          log.error(e.getMessage());
        }
      }
    }
  }
}
