package io.tony.executor;

import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.StacksTold;
import io.tony.process.Spawner;
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
  private final Spawner spawner;
  private UserProcess waiting;

  /** The last one that was started; null before any. */
  private volatile ProgramRun started;

  /** {@code spawner} starts their processes, and the threads that look after them. */
  Programs(
      ExecutorSettings settings,
      ProgramTokens tokens,
      Path workingDirectory,
      Path logs,
      Spawner spawner) {
    this.spawner = spawner;
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
      ProgramRun run =
          ProgramRun.start(program, start, checkpoints, settings, tokens, workingDirectory, logs);
      started = run;
      return run;
    } catch (IOException | RuntimeException e) {
      program.discard();
      throw e;
    }
  }

  /** Of the last program, on top of this process's own; on any thread. */
  Map<String, String> environment() throws IOException {
    ProgramRun run = started;
    if (run == null) {
      throw new IOException("the task's program has not been started yet: try again when it runs");
    }
    return run.environment();
  }

  Path workingDirectory() {
    return workingDirectory;
  }

  Spawner spawner() {
    return spawner;
  }

  /** Where the program that runs stands; on any thread. */
  StacksTold look(Command.AskForStacks question) {
    ProgramRun run = started;
    if (run == null || !run.program().isAlive()) {
      return new StacksTold(question.question(), "", null, "no program of it runs");
    }
    try {
      return run.look(question);
    } catch (IOException | RuntimeException e) {
      LOG.warn("where the program stands cannot be seen", e);
      return new StacksTold(question.question(), "", null, "it cannot be seen: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new StacksTold(question.question(), "", null, "the task ends");
    }
  }

  private UserProcess next() throws IOException {
    if (waiting == null || !waiting.isAlive()) {
      waiting = UserProcess.prepare(workingDirectory, logs, spawner);
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
