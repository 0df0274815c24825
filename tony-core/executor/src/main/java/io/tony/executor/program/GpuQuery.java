package io.tony.executor.program;

import io.tony.executor.settings.ExecutorLog;
import io.tony.model.TaskUsage;
import io.tony.process.Spawner;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Queries {@code nvidia-smi} for the usage of the GPUs that are visible in the container. Stops
 * querying after {@value #MAX_FAILURES} consecutive failures, for example if {@code nvidia-smi}
 * does not answer or also lists GPUs of other tasks.
 */
final class GpuQuery {
  private static final ExecutorLog LOG = new ExecutorLog(GpuQuery.class);
  private static final long TIMEOUT_SECONDS = 5;
  private static final int MAX_OUTPUT_BYTES = 64 * 1024;
  private static final int MAX_FAILURES = 3;

  private final List<String> command;
  private final long gpus;
  private int failureCount;

  /**
   * Creates a query; runs nothing yet.
   *
   * @param program path or name of {@code nvidia-smi}
   * @param gpus number of the task's GPUs; 0 disables the query
   */
  GpuQuery(String program, long gpus) {
    this.command =
        List.of(
            program,
            "--query-gpu=index,utilization.gpu,memory.used",
            "--format=csv,noheader,nounits");
    this.gpus = gpus;
  }

  /**
   * Returns the usage of the task's GPUs; null if the task has none or their usage is unknown.
   * Blocks for at most about {@value #TIMEOUT_SECONDS} s.
   */
  TaskUsage.@Nullable GpuUsage query() throws InterruptedException {
    if (gpus == 0 || failureCount >= MAX_FAILURES) {
      return null;
    }
    try {
      TaskUsage.GpuUsage use = parse(run(), gpus);
      failureCount = 0;
      return use;
    } catch (IOException e) {
      failureCount++;
      if (failureCount == MAX_FAILURES) {
        LOG.info("the use of GPUs is not sampled: " + e.getMessage());
      }
      return null;
    }
  }

  private String run() throws IOException, InterruptedException {
    Process process =
        Spawner.SYSTEM.startProcess(
            new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.DISCARD));
    try {
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(command.get(0) + " did not end within " + TIMEOUT_SECONDS + " s");
      }
      if (process.exitValue() != 0) {
        throw new IOException(command.get(0) + " exited with code " + process.exitValue());
      }
      byte[] output = process.getInputStream().readNBytes(MAX_OUTPUT_BYTES);
      return new String(output, StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * Parses lines of {@code index, percent, MiB}, one for each GPU. Returns the average of the
   * percentages and the sum of the memory.
   *
   * @throws IOException if a line has another format, or if there are more lines than the task has
   *     GPUs: the node then does not isolate GPUs, and it is unknown which of them belong to the
   *     task
   */
  static TaskUsage.GpuUsage parse(String output, long gpus) throws IOException {
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    if (lines.isEmpty() || lines.size() > gpus) {
      throw new IOException("the node shows " + lines.size() + " GPUs, the task has " + gpus);
    }
    long percent = 0;
    long memory = 0;
    for (String line : lines) {
      try {
        String[] fields = line.split(",", -1);
        percent += Long.parseLong(fields[1].strip());
        memory += Long.parseLong(fields[2].strip());
      } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
        throw new IOException("'" + line + "' does not report a GPU's use", e);
      }
    }
    return new TaskUsage.GpuUsage(
        Math.toIntExact(Math.round((double) percent / lines.size())), memory);
  }
}
