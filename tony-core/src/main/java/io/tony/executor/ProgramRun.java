package io.tony.executor;

import io.tony.container.DockerRuntime;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import io.tony.protocol.proto.TonyProtos.Sample;
import io.tony.protocol.proto.TonyProtos.Start;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the user's program under its limits, from its start to what is reported of its end.
 * Used by the one thread that owns the task's life.
 */
final class ProgramRun {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramRun.class);

  private final ExecutorSettings settings;
  private final TaskFiles files;
  private final UserProcess program;
  private final Sampler sampler;
  private final boolean preprocesses;
  private final Duration limit;
  private final HangWatch hangWatch;
  private final long startedNanos = System.nanoTime();
  private Duration nextLook = Duration.ZERO;
  private boolean ending;
  private boolean timedOut;
  private String message = "";

  private ProgramRun(
      ExecutorSettings settings,
      TaskFiles files,
      UserProcess program,
      Duration limit,
      boolean preprocesses) {
    this.settings = settings;
    this.files = files;
    this.program = program;
    this.sampler = Sampler.start(program.pid(), settings.sampling());
    this.preprocesses = preprocesses;
    this.limit = limit;
    this.hangWatch = settings.hang().isZero() ? null : new HangWatch(settings.hang());
  }

  /**
   * Starts the program as the ApplicationMaster wants it.
   *
   * @param logs where its stdout and stderr go
   */
  static ProgramRun start(
      Start start,
      ExecutorSettings settings,
      ProgramTokens tokens,
      Path workingDirectory,
      Path logs)
      throws IOException {
    String container = System.getenv(Environment.CONTAINER_ID.name());
    DockerRuntime.require(System.getenv(), DockerProcesses.areOurs(container));
    TaskFiles files = TaskFiles.begin(workingDirectory, logs);
    Map<String, String> environment = new LinkedHashMap<>();
    if (settings.reusePort()) {
      environment.put("TF_GRPC_REUSE_PORT", "true");
    }
    for (Entry entry : start.getEnvironmentList()) {
      environment.put(entry.getKey(), entry.getValue());
    }
    environment.putAll(files.environment());
    environment.putAll(tokens.environment());
    return new ProgramRun(
        settings,
        files,
        UserProcess.start(start.getCommand(), environment, workingDirectory, logs),
        Duration.ofMillis(start.getExecutionTimeoutMs()),
        "1".equals(environment.get("TONY_PREPROCESS")));
  }

  UserProcess program() {
    return program;
  }

  CompletableFuture<Integer> ended() {
    return program.ended().whenComplete((code, failure) -> sampler.close());
  }

  /** Has the program end; what it then reports is its own exit code. */
  void end() {
    if (!ending) {
      ending = true;
      program.stop(settings.stopGrace());
    }
  }

  /** Ends the program when it has run, or shown no sign of life, for too long. */
  void checkLimits() {
    if (ending) {
      return;
    }
    Duration now = age();
    if (!limit.isZero() && now.compareTo(limit) >= 0) {
      timedOut = true;
      endFor(
          "ran longer than " + limit.toMillis() + " ms (tony.task.executor.execution-timeout-ms)");
    } else if (hangWatch != null && now.compareTo(nextLook) >= 0) {
      look(now);
      nextLook = now.plus(hangWatch.interval());
    }
  }

  /** How long nothing can become of the limits. */
  Duration untilNextCheck() {
    Duration next = Duration.ofDays(1);
    if (!ending && !limit.isZero()) {
      next = shorter(next, limit.minus(age()));
    }
    if (!ending && hangWatch != null) {
      next = shorter(next, nextLook.minus(age()));
    }
    return next;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  private void look(Duration now) {
    try {
      HangWatch.Signs signs =
          new HangWatch.Signs(files.marks(), ProcessTree.of(program.pid()).cpu());
      if (hangWatch.hangs(now, signs)) {
        endFor(
            "showed no sign of life for "
                + BigDecimal.valueOf(settings.hang().toMillis(), 3)
                    .stripTrailingZeros()
                    .toPlainString()
                + " s (tony.task.hang-timeout-ms): nothing was written to its stdout, its stderr,"
                + " its progress file or its output file, and all its processes together used less"
                + " than 1 % of a core");
      }
    } catch (IOException e) {
      LOG.warn("Whether the program hangs cannot be seen: {}", e.toString());
    }
  }

  private void endFor(String reason) {
    LOG.info("The program {}", reason);
    message = reason;
    end();
  }

  /** What a heartbeat has to tell of it. */
  HeartbeatRequest.Builder news() {
    HeartbeatRequest.Builder news = HeartbeatRequest.newBuilder();
    String progress = newProgress();
    if (progress != null) {
      news.setProgress(progress);
    }
    Sample sample = sampler.take();
    if (sample != null) {
      news.setSample(sample);
    }
    return news;
  }

  /** Null where there is nothing new, or nothing to be read: progress is never worth a failure. */
  private String newProgress() {
    try {
      return files.newProgress();
    } catch (IOException e) {
      LOG.warn("The progress file cannot be read: {}", e.toString());
      return null;
    }
  }

  private String lastProgress() {
    try {
      return files.lastProgress();
    } catch (IOException e) {
      LOG.warn("The progress file cannot be read: {}", e.toString());
      return "";
    }
  }

  /** What is to be told of the program's end. */
  ExitedRequest.Builder report(int exitCode) {
    ExitedRequest.Builder exit =
        ExitedRequest.newBuilder()
            .setExitCode(exitCode)
            .setTimedOut(timedOut)
            .setExecutorMessage(message)
            .setProgress(lastProgress());
    try {
      List<String> stderr = files.stderrTail();
      int from = Math.max(0, stderr.size() - settings.errorLines());
      exit.setStderrTail(String.join("\n", stderr.subList(from, stderr.size())));
      exit.setPortTaken(
          exitCode != 0 && !ending && AddressInUse.isSaidBy(String.join("\n", stderr)));
      Outputs outputs = files.outputs();
      outputs.values().forEach((key, value) -> exit.addOutputs(entry(key, value)));
      ModelParameters parameters =
          preprocesses ? files.modelParameters() : new ModelParameters(null, "");
      if (parameters.value() != null) {
        exit.addOutputs(entry("MODEL_PARAMS", parameters.value()));
      }
      String leftOut =
          Stream.of(outputs.leftOut(), parameters.leftOut())
              .filter(text -> !text.isEmpty())
              .collect(Collectors.joining("; "));
      if (!leftOut.isEmpty()) {
        LOG.warn("Of what the program left, {}", leftOut);
        exit.setOutputsLeftOut(leftOut);
      }
    } catch (IOException e) {
      LOG.warn("What the program left cannot be read", e);
    }
    return exit;
  }

  private static Entry entry(String key, String value) {
    return Entry.newBuilder().setKey(key).setValue(value).build();
  }
}
