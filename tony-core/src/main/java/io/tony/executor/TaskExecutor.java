package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import io.tony.protocol.proto.TonyProtos.AwaitResponse;
import io.tony.protocol.proto.TonyProtos.Entry;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.Start;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process that stands by one task in its container, from registration to the exit report. */
public final class TaskExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(TaskExecutor.class);

  /** The task's end was reported, whatever it was. */
  static final int EXIT_REPORTED = 0;

  /** This program failed; YARN reports the container's end. */
  static final int EXIT_BROKEN = 1;

  /** The ApplicationMaster is gone; the user's process was ended. */
  static final int EXIT_MASTER_LOST = 2;

  /** YARN kills what has not ended 250 ms after SIGTERM, unless it is configured otherwise. */
  private static final int TERMINATION_MS = 200;

  private final ExecutorSettings settings;
  private final MasterLink master;
  private final Path workingDirectory;
  private final Path logs;
  private final TaskFiles files;
  private final AtomicReference<UserProcess> process = new AtomicReference<>();
  private volatile boolean terminating;

  private TaskExecutor(ExecutorSettings settings, MasterLink master, Path cwd, Path logs) {
    this.settings = settings;
    this.master = master;
    this.workingDirectory = cwd;
    this.logs = logs;
    this.files = new TaskFiles(cwd, logs);
  }

  public static void main(String[] args) {
    int exit = EXIT_BROKEN;
    try {
      ExecutorSettings settings = ExecutorSettings.from(System.getenv());
      Path logs = Path.of(System.getenv(Environment.LOG_DIRS.name()).replaceFirst(",.*", ""));
      try (MasterLink master = MasterLink.open(settings, new YarnConfiguration())) {
        new TaskExecutor(settings, master, Path.of("").toAbsolutePath(), logs).run();
      }
      exit = EXIT_REPORTED;
    } catch (MasterLost e) {
      LOG.error("The ApplicationMaster is lost; the task ends", e);
      exit = EXIT_MASTER_LOST;
    } catch (IOException | RuntimeException e) {
      LOG.error("The executor cannot go on", e);
    } catch (InterruptedException e) {
      LOG.error("The executor was interrupted", e);
    }
    // All is reported and the process group is gone: nothing is left that a slow exit would serve.
    Runtime.getRuntime().halt(exit);
  }

  private void run() throws IOException, MasterLost, InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(this::terminated, "terminated"));
    Start start;
    try (PortReservation port = PortReservation.on(settings.host());
        PortReservation board =
            settings.tensorBoard() ? PortReservation.on(settings.host()) : null) {
      master.register(settings.host(), port.port(), board == null ? 0 : board.port());
      LOG.info("{} registered with port {}", settings.key(), port.port());
      startDaemon("heartbeat", this::heartbeats);
      if (!filesPrepared()) {
        return;
      }
      AwaitResponse command = master.await(false);
      if (command.hasStop()) {
        LOG.info("Stopped before the start: {}", command.getStop().getReason());
        master.exited(ExitedRequest.newBuilder().setExitCode(128 + 15));
        return;
      }
      start = command.getStart();
    }
    runProgram(start);
  }

  /**
   * Unpacks the user's source folder into the working directory; reports the end where it cannot.
   */
  private boolean filesPrepared() throws MasterLost, InterruptedException {
    try {
      Files.createDirectories(workingDirectory.resolve(".tony"));
      File archive = workingDirectory.resolve(ExecutorSettings.SOURCE_ARCHIVE).toFile();
      if (archive.exists()) {
        FileUtil.unTar(archive, workingDirectory.toFile());
      }
      return true;
    } catch (IOException e) {
      LOG.error("The task's files cannot be prepared", e);
      master.exited(
          ExitedRequest.newBuilder()
              .setExitCode(EXIT_BROKEN)
              .setExecutorMessage("its files cannot be prepared: " + e.getMessage()));
      return false;
    }
  }

  private void runProgram(Start start) throws MasterLost, InterruptedException {
    Map<String, String> environment = new LinkedHashMap<>();
    for (Entry entry : start.getEnvironmentList()) {
      environment.put(entry.getKey(), entry.getValue());
    }
    environment.putAll(files.environment());
    ExitedRequest.Builder exit = ExitedRequest.newBuilder().setExitCode(EXIT_BROKEN);
    try {
      UserProcess started =
          UserProcess.start(start.getCommand(), environment, workingDirectory, logs);
      process.set(started);
      master.started(started.pid());
      startDaemon("stop", this::awaitStop);
      Duration limit = Duration.ofMillis(start.getExecutionTimeoutMs());
      awaitExit(started, limit, exit);
    } catch (IOException e) {
      LOG.error("The program could not be run", e);
      exit.setExecutorMessage("the program could not be run: " + e.getMessage());
    } finally {
      UserProcess started = process.get();
      if (started != null) {
        started.kill();
      }
    }
    LOG.info("The program exited with code {}", exit.getExitCode());
    if (terminating) {
      // YARN ends this container and knows why: that it was preempted, or used too much memory.
      new CountDownLatch(1).await();
    }
    String progress = newProgress();
    if (progress != null) {
      master.heartbeat(progress);
    }
    readFiles(exit);
    master.exited(exit);
  }

  private void readFiles(ExitedRequest.Builder exit) {
    try {
      exit.setStderrTail(files.stderrTail(settings.errorLines()));
      files.outputs().forEach((key, value) -> exit.addOutputs(entry(key, value)));
    } catch (IOException e) {
      LOG.warn("What the program left cannot be read", e);
    }
  }

  private void awaitExit(UserProcess program, Duration limit, ExitedRequest.Builder exit)
      throws InterruptedException {
    try {
      if (limit.isZero()) {
        program.onExit().get();
      } else {
        program.onExit().get(limit.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (TimeoutException e) {
      program.stop(settings.stopGrace());
      exit.setTimedOut(true)
          .setExecutorMessage(
              "ran longer than "
                  + limit.toMillis()
                  + " ms (tony.task.executor.execution-timeout-ms)");
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for a process does not fail", e);
    }
    exit.setExitCode(program.exitCode());
  }

  private void awaitStop() throws InterruptedException {
    try {
      LOG.info("Told to stop: {}", master.await(true).getStop().getReason());
      process.get().stop(settings.stopGrace());
    } catch (MasterLost e) {
      endForLostMaster(e);
    }
  }

  private void heartbeats() throws InterruptedException {
    try {
      while (true) {
        Thread.sleep(settings.heartbeatInterval().toMillis());
        master.heartbeat(process.get() == null ? null : newProgress());
      }
    } catch (MasterLost e) {
      endForLostMaster(e);
    }
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

  private void endForLostMaster(MasterLost cause) throws InterruptedException {
    LOG.error("The ApplicationMaster is lost; the task ends", cause);
    UserProcess program = process.get();
    if (program != null) {
      program.stop(settings.stopGrace());
    }
    Runtime.getRuntime().halt(EXIT_MASTER_LOST);
  }

  /** SIGTERM from YARN: the program gets the little time that there is. */
  private void terminated() {
    terminating = true;
    UserProcess program = process.get();
    if (program == null) {
      return;
    }
    program.terminate();
    try {
      program.onExit().get(TERMINATION_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.info("The program did not end within {} ms of SIGTERM", TERMINATION_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    program.kill();
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  private static void startDaemon(String name, Step step) {
    Thread thread =
        new Thread(
            () -> {
              try {
                step.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private static Entry entry(String key, String value) {
    return Entry.newBuilder().setKey(key).setValue(value).build();
  }
}
