package io.tony.executor.program;

import io.tony.clock.AwakeClock;
import io.tony.process.Spawner;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Reads the stacks of a Python process by running {@code py-spy dump}; the process keeps running.
 */
final class PySpy {
  private static final String PROGRAM = "py-spy";
  private static final int MAX_OUTPUT_BYTES = 64 * 1024;
  private static final int MAX_MESSAGE_CHARS = 500;

  private final Path output;

  /**
   * Creates an instance.
   *
   * @param output path of a temporary file for py-spy's output; deleted after each use
   */
  PySpy(Path output) {
    this.output = output;
  }

  boolean isAvailable(RuntimeProcess process) throws IOException {
    return process.find(PROGRAM) != null;
  }

  /**
   * Returns the stacks as py-spy prints them; empty if the process's environment has no py-spy.
   *
   * @throws IOException if py-spy fails, for example for lack of permission, or exceeds the limit;
   *     the message has the reason
   */
  String dump(RuntimeProcess process, Duration limit) throws IOException, InterruptedException {
    Path program = process.find(PROGRAM);
    if (program == null) {
      return "";
    }
    ProcessBuilder builder =
        new ProcessBuilder(
                program.toString(),
                "dump",
                "--full-filenames",
                "--pid",
                Long.toString(process.pid()))
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    // py-spy is a program of the user and must not get the executor's environment.
    builder.environment().clear();
    builder.environment().putAll(process.environment());
    Process spy = Spawner.SYSTEM.startProcess(builder);
    boolean ended = false;
    try {
      long end = AwakeClock.nanoTime() + limit.toNanos();
      while (!ended && end - AwakeClock.nanoTime() > 0) {
        ended = spy.waitFor(end - AwakeClock.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } finally {
      if (!ended) {
        spy.destroyForcibly().waitFor();
        // A killed py-spy may leave the process stopped (after PTRACE_ATTACH): continue it.
        ProcessGroup.runBash("kill -CONT \"$1\"", Long.toString(process.pid()));
      }
    }
    String printed =
        new String(ProgramFile.readFrom(output, 0, MAX_OUTPUT_BYTES), StandardCharsets.UTF_8);
    Files.deleteIfExists(output);
    if (ended && spy.exitValue() == 0) {
      return printed;
    }
    throw new IOException(
        program
            + ": "
            + (ended
                ? printed
                    .substring(0, Math.min(MAX_MESSAGE_CHARS, printed.length()))
                    .strip()
                    .replace('\n', ' ')
                : "it did not end within " + limit.toMillis() + " ms"));
  }
}
