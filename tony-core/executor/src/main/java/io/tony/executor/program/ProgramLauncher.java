package io.tony.executor.program;

import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.StackReport;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.process.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts the programs of all task attempts of this container, one after the other. The shell of the
 * next program is started in advance, so that starting the gang does not have to wait for it.
 */
public final class ProgramLauncher implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramLauncher.class);

  private final ExecutorSettings settings;
  private final ProgramTokens tokens;
  private final Path workingDirectory;
  private final Path logs;
  private final Spawner spawner;
  private @Nullable ProcessGroup preparedGroup; // null if no shell was started in advance

  /** Last program that was started; null before the first. */
  private volatile @Nullable ProgramProcess lastProgram;

  /**
   * Creates a launcher.
   *
   * @param tokens delegation tokens for the programs
   * @param logs folder of the programs' stdout and stderr
   * @param spawner starts the programs' processes and the threads that watch them
   */
  public ProgramLauncher(
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

  /** Starts the next program's shell in advance, if none is waiting. */
  public void prepare() {
    try {
      prepareNext();
    } catch (IOException e) {
      // Only log this, because start tries again and reports a failure.
      LOG.warn("the program's shell cannot be started ahead: " + e);
    }
  }

  /**
   * Starts the program.
   *
   * @param checkpointVariables environment variables about checkpoint folders and the checkpoint to
   *     resume from
   * @throws IOException if the program cannot be started
   */
  public ProgramProcess start(ExecutorCommand.Start start, Map<String, String> checkpointVariables)
      throws IOException {
    ProcessGroup processGroup = prepareNext();
    preparedGroup = null;
    try {
      ProgramProcess programProcess =
          ProgramProcess.start(
              processGroup, start, checkpointVariables, settings, tokens, workingDirectory, logs);
      lastProgram = programProcess;
      return programProcess;
    } catch (IOException | RuntimeException e) {
      processGroup.discard();
      throw e;
    }
  }

  /**
   * Returns the environment variables that the last program got in addition to those of this
   * process. May be called on any thread.
   *
   * @throws IOException if no program was started yet
   */
  public Map<String, String> environment() throws IOException {
    ProgramProcess program = lastProgram;
    if (program == null) {
      throw new IOException("the task's program has not been started yet: try again when it runs");
    }
    return program.environment();
  }

  public Path workingDirectory() {
    return workingDirectory;
  }

  public Spawner spawner() {
    return spawner;
  }

  /**
   * Reads the stacks of the running program. If this fails, the report has the reason. May be
   * called on any thread.
   */
  public StackReport readStacks(ExecutorCommand.AskForStacks request) {
    ProgramProcess program = lastProgram;
    if (program == null || !program.processGroup().isAlive()) {
      return new StackReport(request.requestId(), "", null, "no program of it runs");
    }
    try {
      return program.readStacks(request);
    } catch (IOException | RuntimeException e) {
      LOG.warn("where the program hangs cannot be determined", e);
      return new StackReport(request.requestId(), "", null, "it cannot be seen: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new StackReport(request.requestId(), "", null, "the task ends");
    }
  }

  private ProcessGroup prepareNext() throws IOException {
    if (preparedGroup == null || !preparedGroup.isAlive()) {
      preparedGroup = ProcessGroup.prepare(workingDirectory, logs, spawner);
    }
    return preparedGroup;
  }

  /** Kills the shell that was started in advance, if any. Does not end a running program. */
  @Override
  public void close() {
    if (preparedGroup != null) {
      preparedGroup.discard();
      preparedGroup = null;
    }
  }
}
