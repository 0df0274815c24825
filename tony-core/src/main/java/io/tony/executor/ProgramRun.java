package io.tony.executor;

import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.container.DockerRuntime;
import io.tony.executor.rpc.Beat;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Exit;
import io.tony.executor.rpc.StacksTold;
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
final class ProgramRun {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramRun.class);

  private final ExecutorSettings settings;
  private final Path workingDirectory;
  private final TaskFiles files;
  private final UserProcess program;
  private final ProgramEnd end;
  private final Sampler sampler;
  private final Map<String, String> environment;
  private final Duration limit;
  private final HangWatch hangWatch; // null where the program may take its time
  private final ProgramProcesses processes;
  private final long startedNanos = AwakeClock.nanoTime();
  private Duration nextLook = Duration.ZERO;
  private boolean byItself = true; // as long as nobody has told this executor to end it
  private boolean timedOut;
  private String message = "";

  private ProgramRun(
      ExecutorSettings settings,
      Path workingDirectory,
      TaskFiles files,
      UserProcess program,
      Duration limit,
      Map<String, String> environment) {
    this.settings = settings;
    this.workingDirectory = workingDirectory;
    this.files = files;
    this.program = program;
    this.end = new ProgramEnd(program, files, settings.stopGrace(), program.spawner());
    this.sampler = Sampler.start(program.processes(), settings.sampling(), program.spawner());
    this.environment = Map.copyOf(environment);
    this.limit = limit;
    this.hangWatch = settings.hang().isZero() ? null : new HangWatch(settings.hang());
    this.processes = program.processes();
  }

  /**
   * Has the program run as the ApplicationMaster wants it.
   *
   * @param program waits for what it is to run
   * @param checkpoints what it is told of them
   * @param logs where its stdout and stderr go
   */
  static ProgramRun start(
      UserProcess program,
      Command.Start start,
      Map<String, String> checkpoints,
      ExecutorSettings settings,
      ProgramTokens tokens,
      Path workingDirectory,
      Path logs)
      throws IOException {
    DockerRuntime.require(System.getenv(), DockerProcesses.areOurs(System.getenv("CONTAINER_ID")));
    TaskFiles files = TaskFiles.begin(workingDirectory, logs);
    files.tell(start.clusterSpec());
    Map<String, String> environment = new LinkedHashMap<>();
    if (settings.reusePort()) {
      environment.put("TF_GRPC_REUSE_PORT", "true");
    }
    if (!settings.networkInterface().isEmpty()) {
      environment.putAll(NodeInterface.named(settings.networkInterface(), settings.master()));
    }
    environment.putAll(start.environment());
    environment.putAll(files.environment());
    environment.putAll(checkpoints);
    environment.putAll(tokens.environment());
    environment.put(
        PythonModule.PATH,
        PythonModule.pathWith(
            environment.getOrDefault(PythonModule.PATH, System.getenv(PythonModule.PATH)),
            PythonModule.write(workingDirectory)));
    program.run(start.command(), environment);
    return new ProgramRun(
        settings,
        workingDirectory,
        files,
        program,
        Duration.ofMillis(start.executionTimeoutMs()),
        environment);
  }

  UserProcess program() {
    return program;
  }

  /** What it was given on top of this process's own environment. */
  Map<String, String> environment() {
    return environment;
  }

  /** Where it stands, while it goes on; on any thread. */
  StacksTold look(Command.AskForStacks question) throws IOException, InterruptedException {
    List<Long> pids = program.processes().look().pids();
    Stacks stacks = files.stacks(Stacks.Purpose.LOOK);
    Stack stack = stacks.take(pids);
    return new StacksTold(
        question.question(),
        stack.place(),
        question.whole() ? stacks.text() : null,
        stacks.problem());
  }

  CompletableFuture<Integer> ended() {
    return end.ended().whenComplete((code, failure) -> sampler.close());
  }

  /** Has the program end; what it then reports is its own exit code. */
  void end() {
    end(false);
  }

  /** The same, as another program wants it; {@code stacks} is whether that one hangs. */
  void end(boolean stacks) {
    if (!end.hasBegun()) {
      byItself = !program.isAlive();
    }
    if (stacks) {
      end.beginWithStacks(false);
    } else {
      end.begin();
    }
  }

  /** Where it stood before it was ended; empty where that is not known, null where nobody asked. */
  String stood() {
    return end.stood();
  }

  /** Whether it had ended, or had to be ended, before this executor was told to end it. */
  boolean endedByItself() {
    return byItself;
  }

  /** Asks it for a checkpoint. */
  void ask(Command.AskForCheckpoint wish) {
    try {
      files.askForCheckpoint(wish.askedMs());
      if (wish.signal() != 0) {
        CaughtSignals.send(wish.signal(), processes.look().pids());
      }
    } catch (IOException e) {
      LOG.warn("the program cannot be asked for a checkpoint", e);
    }
  }

  /** Ends the program when it has run, or shown no sign of life, for too long. */
  void checkLimits() {
    if (end.hasBegun()) {
      end.checkLimit();
      return;
    }
    Duration now = age();
    if (!limit.isZero() && now.compareTo(limit) >= 0) {
      timedOut = true;
      tell("ran longer than " + limit.toMillis() + " ms (tony.task.executor.execution-timeout-ms)");
      end.begin();
    } else if (hangWatch != null && now.compareTo(nextLook) >= 0) {
      look(now);
      nextLook = now.plus(hangWatch.interval());
    }
  }

  /** How long nothing can become of the limits. */
  Duration untilNextCheck() {
    Duration next = end.untilLimit();
    if (!end.hasBegun() && !limit.isZero()) {
      next = Durations.shorter(next, limit.minus(age()));
    }
    if (!end.hasBegun() && hangWatch != null) {
      next = Durations.shorter(next, nextLook.minus(age()));
    }
    return next;
  }

  private Duration age() {
    return Duration.ofNanos(AwakeClock.nanoTime() - startedNanos);
  }

  private void look(Duration now) {
    try {
      HangWatch.Signs signs = new HangWatch.Signs(files.marks(), processes.look().cpu());
      if (hangWatch.hangs(now, signs)) {
        tell(
            "showed no sign of life for "
                + BigDecimal.valueOf(settings.hang().toMillis(), 3)
                    .stripTrailingZeros()
                    .toPlainString()
                + " s (tony.task.hang-timeout-ms): nothing was written to its stdout, its stderr,"
                + " its progress file or its output file, and all its processes together used less"
                + " than 1 % of a core");
        end.beginWithStacks(true);
      }
    } catch (IOException e) {
      LOG.warn("whether the program hangs cannot be seen: " + e);
    }
  }

  private void tell(String reason) {
    LOG.info("the program " + reason);
    message = reason;
  }

  /** What a heartbeat has to tell of it. */
  Beat news() {
    return Beat.of(newProgress(), sampler.take());
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
  private String explained(int exitCode, boolean failed, List<String> lines) {
    List<String> told = new ArrayList<>(lines);
    if (failed) {
      UnstartableProgram.reason(exitCode, lines, workingDirectory).ifPresent(told::add);
    }
    while (told.size() > 1 && String.join("\n", told).length() > ReportLimits.STDERR) {
      told.remove(0);
    }
    return String.join("\n", told);
  }

  /** What is to be told of the program's end. */
  Exit report(int exitCode) {
    String stderrTail = "";
    boolean portTaken = false;
    Map<String, String> outputs = new LinkedHashMap<>();
    String leftOut = "";
    try {
      List<String> written = end.lastWords(settings.errorLines());
      List<String> stderr = FaultDump.shortened(written, Math.max(2, settings.errorLines() / 2));
      int from = Math.max(0, stderr.size() - settings.errorLines());
      boolean failed = exitCode != 0 && byItself && message.isEmpty();
      stderrTail = explained(exitCode, failed, stderr.subList(from, stderr.size()));
      portTaken = failed && AddressInUse.isSaidBy(String.join("\n", written));
      Outputs left = files.outputs();
      outputs.putAll(left.values());
      ModelParameters parameters =
          "1".equals(environment.get("TONY_PREPROCESS"))
              ? files.modelParameters()
              : new ModelParameters(null, "");
      if (parameters.value() != null) {
        outputs.put("MODEL_PARAMS", parameters.value());
      }
      leftOut =
          Stream.of(left.leftOut(), parameters.leftOut())
              .filter(text -> !text.isEmpty())
              .collect(Collectors.joining("; "));
      if (!leftOut.isEmpty()) {
        LOG.warn("of what the program left, " + leftOut);
      }
    } catch (IOException e) {
      LOG.warn("what the program left cannot be read", e);
    }
    return new Exit(
        exitCode,
        stderrTail,
        outputs,
        leftOut,
        message,
        timedOut,
        portTaken,
        lastProgress(),
        stood(),
        program.endedMillis(),
        byItself,
        false,
        false);
  }
}
