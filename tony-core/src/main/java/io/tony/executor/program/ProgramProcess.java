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

/**
 * One run of the user's program under its limits, from its start to what is reported of its end.
 * Used by the one thread that owns the task's life.
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
  private final HangDetector hangDetector; // null where the program may take its time
  private final ProcessScanner scanner;
  private final long startedNanos = AwakeClock.nanoTime();
  private Duration nextHangCheck = Duration.ZERO;
  private boolean endedByItself = true; // as long as nobody has told this executor to end it
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
   * Has the program run as the ApplicationMaster wants it.
   *
   * @param processGroup waits for what it is to run
   * @param checkpointVariables what it is told of them
   * @param logs where its stdout and stderr go
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

  /** What it was given on top of this process's own environment. */
  Map<String, String> environment() {
    return environment;
  }

  /** Where it stands, while it goes on; on any thread. */
  StackReport inspect(ExecutorCommand.AskForStacks request)
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

  /** Has the program end; what it then reports is its own exit code. */
  public void stop() {
    stop(false);
  }

  /** The same, as another program wants it; {@code stacks} is whether that one hangs. */
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

  /** Where it stood before it was ended; empty where that is not known, null where nobody asked. */
  public String hangLocation() {
    return termination.hangLocation();
  }

  /** Whether it had ended, or had to be ended, before this executor was told to end it. */
  public boolean endedByItself() {
    return endedByItself;
  }

  /** Asks it for a checkpoint. */
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

  /** Ends the program when it has run, or shown no sign of life, for too long. */
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
      inspect(now);
      nextHangCheck = now.plus(hangDetector.interval());
    }
  }

  /** How long nothing can become of the limits. */
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

  private void inspect(Duration now) {
    try {
      HangDetector.Activity activity =
          new HangDetector.Activity(files.marks(), scanner.scan().cpu());
      if (hangDetector.observe(now, activity)) {
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

  /** What a heartbeat has to tell of it. */
  public Heartbeat nextHeartbeat() {
    return Heartbeat.of(newProgress(), sampler.takeLatest());
  }

  /** Null where there is nothing new, or nothing to be read: progress is never worth a failure. */
  private String newProgress() {
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

  /** The last lines, and behind them why the program could not start, where that is to be seen. */
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

  /** What is to be told of the program's end. */
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
