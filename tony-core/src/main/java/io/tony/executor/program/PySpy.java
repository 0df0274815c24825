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
 * Reads the stacks of a Python process with {@code py-spy dump}, which does not affect the process.
 */
final class PySpy {
  private static final String PROGRAM = "py-spy";
  private static final int MAX_OUTPUT_BYTES = 64 * 1024;
  private static final int MAX_MESSAGE_CHARS = 500;

  private final Path output;

  /**
   * Creates an instance. {@code output} is a temporary file for py-spy's output; it is deleted
   * afterwards.
   */
  PySpy(Path output) {
    this.output = output;
  }

  boolean isAvailable(RuntimeProcess process) throws IOException {
    return process.find(PROGRAM) != null;
  }

  /**
   * Returns py-spy's output; empty if py-spy is not installed.
   *
   * @throws IOException if py-spy fails, for example for lack of permission, or exceeds the limit;
   *     the message names the reason
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
    builder.environment().clear(); // the executor's environment is not for the program's tools
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
        // A py-spy that attaches by PTRACE_ATTACH may have left the process stopped.
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
