package io.tony.executor.program;

import io.tony.executor.settings.ExecutorSettings;
import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs the preflight, the job's check of a new container before the container's task registers: a
 * command line, or checks that are built in ({@code preflight.sh}). The check runs in the working
 * directory with the user's files; its output goes to the task's log files.
 */
public final class PreflightRun {
  private static final Set<String> BUILT_IN_CHECKS = Set.of("disk", "gpu", "network");
  private static final int MAX_OUTPUT_BYTES = 1_024; // of the check's stderr, to find its last line

  private final ExecutorSettings settings;
  private final Path workingDirectory;
  private final Path logs;
  private final Spawner spawner;
  private final String networks;

  public PreflightRun(
      ExecutorSettings settings, Path workingDirectory, Path logs, Spawner spawner) {
    this(settings, workingDirectory, logs, spawner, "/sys/class/net");
  }

  /**
   * Like the other constructor, with another folder of network interfaces.
   *
   * @param networks folder in which Linux lists the network interfaces; another one in tests
   */
  public PreflightRun(
      ExecutorSettings settings,
      Path workingDirectory,
      Path logs,
      Spawner spawner,
      String networks) {
    this.spawner = spawner;
    this.networks = networks;
    this.settings = settings;
    this.workingDirectory = workingDirectory;
    this.logs = logs;
  }

  /**
   * Runs the check. Returns the problem that it found; empty if there is none. Ends the check at
   * the preflight timeout, which counts as a problem.
   */
  public String findProblem() throws IOException, InterruptedException {
    Path stderr = logs.resolve("stderr");
    long stderrOffset = ProgramFile.size(stderr);
    ProcessGroup check = ProcessGroup.prepare(workingDirectory, logs, spawner);
    try {
      check.run(command(settings.preflight().check()), environment());
      int code =
          check.ended().get(settings.preflight().timeout().toMillis(), TimeUnit.MILLISECONDS);
      return code == 0 ? "" : "exit code " + code + lastLine(stderr, stderrOffset);
    } catch (TimeoutException e) {
      return "it did not end within "
          + seconds(settings.preflight().timeout())
          + " s (tony.application.preflight-timeout)"
          + lastLine(stderr, stderrOffset);
    } catch (ExecutionException e) {
      throw new CompletionException(e.getCause());
    } finally {
      check.discard();
    }
  }

  private static String seconds(Duration limit) {
    return limit.toMillis() % 1000 == 0
        ? Long.toString(limit.toSeconds())
        : Double.toString(limit.toMillis() / 1000.0);
  }

  private static String command(String check) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    for (String name : check.split(",", -1)) {
      names.add(name.strip());
    }
    if (!BUILT_IN_CHECKS.containsAll(names)) {
      return check;
    }
    StringBuilder script = new StringBuilder();
    try (InputStream in = PreflightRun.class.getResourceAsStream("preflight.sh")) {
      script.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    names.forEach(name -> script.append("preflight_").append(name).append('\n'));
    return script.toString();
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("JOB_NAME", settings.key().task().role());
    environment.put("TASK_INDEX", Integer.toString(settings.key().task().index()));
    environment.put("TONY_PREFLIGHT_HOST", settings.host());
    environment.put("TONY_PREFLIGHT_NETWORKS", networks);
    environment.put("TONY_PREFLIGHT_LOGS", logs.toString());
    environment.put("TONY_PREFLIGHT_GPUS", Long.toString(settings.preflight().gpus()));
    environment.put("TONY_PREFLIGHT_GPU_PROGRAM", settings.sampling().gpuProgram());
    return environment;
  }

  private static String lastLine(Path stderr, long offset) throws IOException {
    String output =
        new String(ProgramFile.readTail(stderr, offset, MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
    String line = TerminalText.lastLine(output);
    return line.isEmpty() ? "" : ": " + line;
  }
}
