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

/**
 * Starts one program of the task after the other. The next one's shell is there before it: a gang
 * starts all its programs at once, and what is done before then does not delay them.
 */
public final class ProgramLauncher implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramLauncher.class);

  private final ExecutorSettings settings;
  private final ProgramTokens tokens;
  private final Path workingDirectory;
  private final Path logs;
  private final Spawner spawner;
  private ProcessGroup preparedGroup;

  /** The last one that was started; null before any. */
  private volatile ProgramProcess lastProgram;

  /** {@code spawner} starts their processes, and the threads that look after them. */
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

  /** Makes the next start short. */
  public void prepare() {
    try {
      prepareNext();
    } catch (IOException e) {
      LOG.warn("the program's shell cannot be started ahead: " + e); // a start says so again
    }
  }

  /** {@code checkpoints} is what the program is told of them. */
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

  /** Of the last program, on top of this process's own; on any thread. */
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

  /** Where the program that runs stands; on any thread. */
  public StackReport readStacks(ExecutorCommand.AskForStacks request) {
    ProgramProcess program = lastProgram;
    if (program == null || !program.processGroup().isAlive()) {
      return new StackReport(request.requestId(), "", null, "no program of it runs");
    }
    try {
      return program.inspect(request);
    } catch (IOException | RuntimeException e) {
      LOG.warn("where the program stands cannot be seen", e);
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

  /** No program follows. */
  @Override
  public void close() {
    if (preparedGroup != null) {
      preparedGroup.discard();
      preparedGroup = null;
    }
  }
}
