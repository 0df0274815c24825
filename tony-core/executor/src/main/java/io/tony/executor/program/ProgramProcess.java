package io.tony.executor.program;

import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.container.DockerRuntime;
import io.tony.executor.port.NodeInterface;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.rpc.StackReport;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.protocol.ReportLimits;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One run of the user's program: starts it, checks its time limits, stops it and reports its end.
 * Used only by the thread that runs the state machine, except where a method says otherwise.
 */
public final class ProgramProcess {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramProcess.class);

  private final ExecutorSettings settings;
  private final Path workingDirectory;
  private final TaskFiles files;
  private final ProcessGroup processGroup;
  private final ProgramTermination termination;
  private final UsageSampler sampler;
  private final Map<String, String> environment;
  private final Duration executionTimeout;
  private final @Nullable HangDetector hangDetector; // null if the job has no hang timeout
  private final ProcessScanner scanner;
  private final long startedNanos = AwakeClock.nanoTime();
  private Duration nextHangCheck = Duration.ZERO;
  private boolean endedByItself = true; // false once a stop is requested while the program runs
  private boolean timedOut;
  private String endReason = "";

  private ProgramProcess(
      ExecutorSettings settings,
      Path workingDirectory,
      TaskFiles files,
      ProcessGroup processGroup,
      Duration executionTimeout,
      Map<String, String> environment) {
    this.settings = settings;
    this.workingDirectory = workingDirectory;
    this.files = files;
    this.processGroup = processGroup;
    this.termination =
        new ProgramTermination(processGroup, files, settings.stopGrace(), processGroup.spawner());
    this.sampler =
        UsageSampler.start(processGroup.newScanner(), settings.sampling(), processGroup.spawner());
    this.environment = Map.copyOf(environment);
    this.executionTimeout = executionTimeout;
    this.hangDetector =
        settings.hangTimeout().isZero() ? null : new HangDetector(settings.hangTimeout());
    this.scanner = processGroup.newScanner();
  }

  /**
   * Starts the program.
   *
   * @param processGroup the prepared shell, which waits for its command line
   * @param start the ApplicationMaster's command
   * @param checkpointVariables environment variables about checkpoint folders and the checkpoint to
   *     resume from
   * @param tokens delegation tokens for the program
   * @param logs folder of the program's stdout and stderr
   * @throws IOException if the program cannot be started
   */
  static ProgramProcess start(
      ProcessGroup processGroup,
      ExecutorCommand.Start start,
      Map<String, String> checkpointVariables,
      ExecutorSettings settings,
      ProgramTokens tokens,
      Path workingDirectory,
      Path logs)
      throws IOException {
    DockerRuntime.requireDocker(
        System.getenv(), DockerDetector.isInContainer(System.getenv("CONTAINER_ID")));
    TaskFiles files = TaskFiles.prepare(workingDirectory, logs);
    files.writeClusterSpec(start.clusterSpec());
    Map<String, String> environment = new LinkedHashMap<>();
    if (settings.reusePort()) {
      environment.put("TF_GRPC_REUSE_PORT", "true");
    }
    if (!settings.networkInterface().isEmpty()) {
      environment.putAll(NodeInterface.variables(settings.networkInterface(), settings.master()));
    }
    if (settings.hadoopEnvironment()) {
      environment.putAll(HadoopEnvironment.of(System.getenv()));
    }
    environment.putAll(start.environment());
    environment.putAll(files.environment());
    environment.putAll(checkpointVariables);
    environment.putAll(tokens.environment());
    environment.put(
        PythonModule.PATH,
        PythonModule.pathWith(
            environment.getOrDefault(PythonModule.PATH, System.getenv(PythonModule.PATH)),
            PythonModule.write(workingDirectory)));
    processGroup.run(start.command(), environment);
    return new ProgramProcess(
        settings,
        workingDirectory,
        files,
        processGroup,
        Duration.ofMillis(start.executionTimeoutMs()),
        environment);
  }

  public ProcessGroup processGroup() {
    return processGroup;
  }

  /**
   * Returns the environment variables that the program gets in addition to those of this process.
   */
  Map<String, String> environment() {
    return environment;
  }

  /** Reads the program's stacks; the program keeps running. May be called on any thread. */
  StackReport readStacks(ExecutorCommand.AskForStacks request)
      throws IOException, InterruptedException {
    List<Long> pids = processGroup.newScanner().scan().pids();
    StackCollector stacks = files.newStackCollector(StackCollector.Purpose.ON_DEMAND);
    Stack stack = stacks.collect(pids);
    return new StackReport(
        request.requestId(),
        stack.place(),
        request.allThreads() ? stacks.text() : null,
        stacks.problem());
  }

  public CompletableFuture<Integer> ended() {
    return termination.ended().whenComplete((code, failure) -> sampler.close());
  }

  /**
   * Sends SIGTERM to the program, and SIGKILL after the stop grace time. Does not wait for the
   * program's end.
   */
  public void stop() {
    stop(false);
  }

  /**
   * Like {@link #stop()}.
   *
   * @param stacks whether to read the program's stacks first, because the gang hangs
   */
  public void stop(boolean stacks) {
    if (!termination.hasBegun()) {
      endedByItself = !processGroup.isAlive();
    }
    if (stacks) {
      termination.beginWithStacks(false);
    } else {
      termination.begin();
    }
  }

  /**
   * Returns where the program was before it was ended, as {@code function (file:line)}; empty if
   * this could not be determined, null if its stacks were not requested.
   */
  public @Nullable String hangLocation() {
    return termination.hangLocation();
  }

  /**
   * Returns true if the program ended by itself, or at its execution or hang timeout, before {@link
   * #stop()} was called.
   */
  public boolean endedByItself() {
    return endedByItself;
  }

  /**
   * Asks the program for a checkpoint: creates the request file and, if the request has one, sends
   * a signal. Failures are only logged.
   */
  public void askForCheckpoint(ExecutorCommand.AskForCheckpoint request) {
    try {
      files.askForCheckpoint(request.askedMs());
      if (request.signal() != 0) {
        SignalSender.send(request.signal(), scanner.scan().pids());
      }
    } catch (IOException e) {
      LOG.warn("the program cannot be asked for a checkpoint", e);
    }
  }

  /**
   * Ends the program if it has exceeded its execution timeout or hangs; if it is being ended
   * already, enforces the time limit of reading its stacks.
   */
  public void checkLimits() {
    if (termination.hasBegun()) {
      termination.checkLimit();
      return;
    }
    Duration now = age();
    if (!executionTimeout.isZero() && now.compareTo(executionTimeout) >= 0) {
      timedOut = true;
      recordEndReason(
          "ran longer than "
              + executionTimeout.toMillis()
              + " ms (tony.task.executor.execution-timeout-ms)");
      termination.begin();
    } else if (hangDetector != null && now.compareTo(nextHangCheck) >= 0) {
      checkHang(hangDetector, now);
      nextHangCheck = now.plus(hangDetector.interval());
    }
  }

  /** Returns the time until {@link #checkLimits} must be called again. */
  public Duration untilNextCheck() {
    Duration next = termination.untilLimit();
    if (!termination.hasBegun() && !executionTimeout.isZero()) {
      next = Durations.shorter(next, executionTimeout.minus(age()));
    }
    if (!termination.hasBegun() && hangDetector != null) {
      next = Durations.shorter(next, nextHangCheck.minus(age()));
    }
    return next;
  }

  private Duration age() {
    return Duration.ofNanos(AwakeClock.nanoTime() - startedNanos);
  }

  private void checkHang(HangDetector detector, Duration now) {
    try {
      HangDetector.Activity activity =
          new HangDetector.Activity(files.marks(), scanner.scan().cpu());
      if (detector.observe(now, activity)) {
        recordEndReason(
            "showed no sign of life for "
                + BigDecimal.valueOf(settings.hangTimeout().toMillis(), 3)
                    .stripTrailingZeros()
                    .toPlainString()
                + " s (tony.task.hang-timeout-ms): nothing was written to its stdout, its stderr,"
                + " its progress file or its output file, and all its processes together used less"
                + " than 1 % of a core");
        termination.beginWithStacks(true);
      }
    } catch (IOException e) {
      LOG.warn("whether the program hangs cannot be seen: " + e);
    }
  }

  private void recordEndReason(String reason) {
    LOG.info("the program " + reason);
    endReason = reason;
  }

  /**
   * Returns the next heartbeat: with the progress and the resource usage, if there is something
   * new.
   */
  public Heartbeat nextHeartbeat() {
    return Heartbeat.of(newProgress(), sampler.takeLatest());
  }

  /**
   * Returns the last line of the progress file; null if it is unchanged, or if the file cannot be
   * read (progress must never make the task fail).
   */
  private @Nullable String newProgress() {
    try {
      return files.newProgress();
    } catch (IOException e) {
      LOG.warn("the progress file cannot be read: " + e);
      return null;
    }
  }

  private String lastProgress() {
    try {
      return files.lastProgress();
    } catch (IOException e) {
      LOG.warn("the progress file cannot be read: " + e);
      return "";
    }
  }

  /**
   * Returns the lines of stderr as one text. If the program failed because it could not be started,
   * appends an explanation, if one is found. Leaves out the first lines if the text would be longer
   * than {@link ReportLimits#MAX_STDERR_CHARS}.
   *
   * @param failed true if the program failed by itself
   * @param lines last lines of stderr
   */
  private String explainedStderr(int exitCode, boolean failed, List<String> lines) {
    List<String> allLines = new ArrayList<>(lines);
    if (failed) {
      UnstartableProgram.reason(exitCode, lines, workingDirectory).ifPresent(allLines::add);
    }
    while (allLines.size() > 1
        && String.join("\n", allLines).length() > ReportLimits.MAX_STDERR_CHARS) {
      allLines.remove(0);
    }
    return String.join("\n", allLines);
  }

  /**
   * Returns the report of the program's end. If the program's files cannot be read, the report
   * lacks their content.
   */
  public ProgramExit toExit(int exitCode) {
    String stderrTail = "";
    boolean portTaken = false;
    Map<String, String> outputs = new LinkedHashMap<>();
    String omissions = "";
    try {
      List<String> stderrLines = termination.stderrTail(settings.errorLines());
      List<String> stderr =
          FaultDump.shortened(stderrLines, Math.max(2, settings.errorLines() / 2));
      int from = Math.max(0, stderr.size() - settings.errorLines());
      boolean failed = exitCode != 0 && endedByItself && endReason.isEmpty();
      stderrTail = explainedStderr(exitCode, failed, stderr.subList(from, stderr.size()));
      portTaken = failed && AddressInUse.isReportedIn(String.join("\n", stderrLines));
      ProgramOutputs programOutputs = files.outputs();
      outputs.putAll(programOutputs.values());
      ModelParameters parameters =
          "1".equals(environment.get("TONY_PREPROCESS"))
              ? files.modelParameters()
              : new ModelParameters(null, "");
      if (parameters.value() != null) {
        outputs.put("MODEL_PARAMS", parameters.value());
      }
      omissions =
          Stream.of(programOutputs.omissions(), parameters.problem())
              .filter(text -> !text.isEmpty())
              .collect(Collectors.joining("; "));
      if (!omissions.isEmpty()) {
        LOG.warn("of what the program left, " + omissions);
      }
    } catch (IOException e) {
      LOG.warn("what the program left cannot be read", e);
    }
    return new ProgramExit(
        exitCode,
        stderrTail,
        outputs,
        omissions,
        endReason,
        timedOut,
        portTaken,
        lastProgress(),
        hangLocation(),
        processGroup.endedMillis(),
        endedByItself,
        false,
        false);
  }
}
