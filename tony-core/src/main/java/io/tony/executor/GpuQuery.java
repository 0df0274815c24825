package io.tony.executor;

import io.tony.model.TaskUse;
import io.tony.process.Spawner;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Asks {@code nvidia-smi} for the use of the GPUs that the container sees. Where it does not answer
 * several times in a row, or shows the GPUs of others, it is not asked any more.
 */
final class GpuQuery {
  private static final ExecutorLog LOG = new ExecutorLog(GpuQuery.class);
  private static final long LIMIT_SECONDS = 5;
  private static final int MOST_OUTPUT = 64 * 1024;
  private static final int MOST_FAILURES = 3;

  private final List<String> command;
  private final long gpus;
  private int failures;

  /**
   * Does not run the program yet.
   *
   * @param gpus how many the task has; none are asked for when that is 0
   */
  GpuQuery(String program, long gpus) {
    this.command =
        List.of(
            program,
            "--query-gpu=index,utilization.gpu,memory.used",
            "--format=csv,noheader,nounits");
    this.gpus = gpus;
  }

  /** Null where there are none, or it is not known. Takes 5 s at most. */
  TaskUse.Gpus ask() throws InterruptedException {
    if (gpus == 0 || failures >= MOST_FAILURES) {
      return null;
    }
    try {
      TaskUse.Gpus use = parse(run(), gpus);
      failures = 0;
      return use;
    } catch (IOException e) {
      failures++;
      if (failures == MOST_FAILURES) {
        LOG.info("the use of GPUs is not sampled: " + e.getMessage());
      }
      return null;
    }
  }

  private String run() throws IOException, InterruptedException {
    Process process =
        Spawner.SYSTEM.process(
            new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.DISCARD));
    try {
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(command.get(0) + " did not end within " + LIMIT_SECONDS + " s");
      }
      if (process.exitValue() != 0) {
        throw new IOException(command.get(0) + " exited with code " + process.exitValue());
      }
      byte[] output = process.getInputStream().readNBytes(MOST_OUTPUT);
      return new String(output, StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * Reads lines of {@code index, percent, MiB}.
   *
   * @throws IOException when there are others, or more than the task has: a node that does not
   *     isolate its GPUs shows those of other tasks, too, and not whose they are
   */
  static TaskUse.Gpus parse(String output, long gpus) throws IOException {
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
        throw new IOException("'" + line + "' does not tell a GPU's use", e);
      }
    }
    return new TaskUse.Gpus(Math.toIntExact(Math.round((double) percent / lines.size())), memory);
  }
}
