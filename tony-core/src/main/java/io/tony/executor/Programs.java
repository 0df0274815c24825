package io.tony.executor;

import io.tony.executor.rpc.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Starts one program of the task after the other. The next one's shell is there before it: a gang
 * starts all its programs at once, and what is done before then does not delay them.
 */
final class Programs implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(Programs.class);

  private final ExecutorSettings settings;
  private final ProgramTokens tokens;
  private final Path workingDirectory;
  private final Path logs;
  private UserProcess waiting;

  Programs(ExecutorSettings settings, ProgramTokens tokens, Path workingDirectory, Path logs) {
    this.settings = settings;
    this.tokens = tokens;
    this.workingDirectory = workingDirectory;
    this.logs = logs;
  }

  /** Makes the next start short. */
  void prepare() {
    try {
      next();
    } catch (IOException e) {
      LOG.warn("the program's shell cannot be started ahead: " + e); // a start says so again
    }
  }

  /** {@code checkpoints} is what the program is told of them. */
  ProgramRun start(Command.Start start, Map<String, String> checkpoints) throws IOException {
    UserProcess program = next();
    waiting = null;
    try {
      return ProgramRun.start(
          program, start, checkpoints, settings, tokens, workingDirectory, logs);
    } catch (IOException | RuntimeException e) {
      program.discard();
      throw e;
    }
  }

  private UserProcess next() throws IOException {
    if (waiting == null || !waiting.isAlive()) {
      waiting = UserProcess.prepare(workingDirectory, logs);
    }
    return waiting;
  }

  /** No program follows. */
  @Override
  public void close() {
    if (waiting != null) {
      waiting.discard();
      waiting = null;
    }
  }
}
