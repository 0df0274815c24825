package io.tony.executor;

import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.checkpoint.CheckpointUploader;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.program.ProgramProcess;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.ProgramExit;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * One run of the program: from its start until all checkpoints that it named are uploaded. Used by
 * the thread that runs the state machine.
 */
final class ProgramSession {
  private final ProgramProcess program;
  private final CheckpointUploader uploader; // null if the task keeps no checkpoints
  private final Duration copyTimeout;
  private final CompletableFuture<Void> ended;
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private boolean running = true;
  private boolean checkpointAsked; // the program may end after a checkpoint request
  private int exitCode;
  private ProgramExit exit; // null until first computed
  private Duration stopGrace; // null until a stop was requested
  private ExecutorCommand.Restart nextAttempt; // null unless another attempt follows
  private long stopNanos;
  private long releaseNanos; // when the container is no longer held

  /**
   * Wraps a running program.
   *
   * @param uploader null if the task keeps no checkpoints
   * @param copyTimeout limit for copying the remaining checkpoints after the program's end
   * @param onEnd receives the exit code, on another thread
   */
  private ProgramSession(
      ProgramProcess program,
      CheckpointUploader uploader,
      Duration copyTimeout,
      IntConsumer onEnd) {
    this.program = program;
    this.uploader = uploader;
    this.copyTimeout = copyTimeout;
    this.ended = program.ended().thenAccept(onEnd::accept);
  }

  /**
   * Starts the program.
   *
   * @param checkpointPath local path of the checkpoint to resume from; null to start from scratch
   * @throws IOException if the program or the uploader cannot be started
   */
  static ProgramSession start(
      ExecutorCommand.Start start,
      String checkpointPath,
      TaskId task,
      ProgramLauncher launcher,
      TaskCheckpoints checkpoints,
      Consumer<ExecutorEvent> events)
      throws IOException {
    Map<String, String> checkpointVariables =
        checkpoints.prepare(start.checkpoints(), checkpointPath);
    // Start the uploader first: a program must not run if its checkpoints cannot be kept.
    CheckpointUploader uploader =
        checkpoints.startUploader(
            task,
            start.checkpoints(),
            outcome -> events.accept(new ExecutorEvent.CheckpointReported(outcome)));
    ProgramProcess program;
    try {
      program = launcher.start(start, checkpointVariables);
    } catch (IOException | RuntimeException e) {
      if (uploader != null) {
        uploader.close();
      }
      throw e;
    }
    return new ProgramSession(
        program,
        uploader,
        Duration.ofMillis(start.checkpoints().copyTimeoutMs()),
        code -> events.accept(new ExecutorEvent.ProgramEnded(code)));
  }

  /** Returns the program; null once it has ended. */
  ProgramProcess runningProgram() {
    return running ? program : null;
  }

  /**
   * Acts on every limit that has expired: of the program, of the container's hold, of the upload.
   */
  void checkLimits() {
    if (running) {
      program.checkLimits();
      return;
    }
    if (untilRelease().isNegative()) {
      release();
    }
    if (uploader != null) {
      uploader.checkLimit();
    }
  }

  /** Returns the time until {@link #checkLimits} must be called next. */
  Duration untilNextCheck() {
    if (running) {
      return program.untilNextCheck();
    }
    Duration release = untilRelease();
    return uploader == null ? release : Durations.shorter(release, uploader.untilLimit());
  }

  private Duration untilRelease() {
    return released.isDone()
        ? Durations.NO_LIMIT
        : Duration.ofNanos(releaseNanos - AwakeClock.nanoTime());
  }

  /** Asks the program for a checkpoint. Does nothing if the program has ended. */
  void askForCheckpoint(ExecutorCommand.AskForCheckpoint request) {
    if (running) {
      checkpointAsked = true;
      if (uploader != null) {
        uploader.recordRequest(request.askedMs());
      }
      program.askForCheckpoint(request);
    }
  }

  /**
   * Stops the program and copies its remaining checkpoints, both within {@code grace}.
   *
   * @param stacks whether to read the program's stacks first
   */
  void stop(boolean stacks, Duration grace) {
    stopGrace = grace;
    stopNanos = AwakeClock.nanoTime();
    release();
    if (running) {
      program.stop(stacks);
    } else if (uploader != null) {
      uploader.finish(grace);
    }
  }

  /**
   * Stops the program if it runs; another attempt follows. After several calls the last command
   * counts.
   */
  void restart(ExecutorCommand.Restart command) {
    nextAttempt = command;
    release();
    if (running) {
      program.stop(command.stacks());
    }
  }

  /** Returns the restart command of the attempt that follows; null if none follows. */
  ExecutorCommand.Restart nextAttempt() {
    return isStopping() ? null : nextAttempt;
  }

  boolean isStopping() {
    return stopGrace != null;
  }

  /**
   * Called when the program has ended. Calls {@code onFinished}, on any thread, once all
   * checkpoints are uploaded or given up and the container is no longer held.
   *
   * @param hold how long to hold the container after a failure that is worth inspecting; zero for
   *     not at all. A stop or a restart ends the hold at once.
   * @return whether the container is held
   */
  boolean onEnded(int code, Duration hold, Runnable onFinished) {
    running = false;
    exitCode = code;
    boolean held = !hold.isZero() && isWorthHolding();
    if (held) {
      releaseNanos = AwakeClock.nanoTime() + hold.toNanos();
    } else {
      release();
    }
    CompletableFuture<Void> uploads = CompletableFuture.completedFuture(null);
    if (uploader != null) {
      uploader.finish(remainingCopyTime());
      uploads = uploader.ended();
    }
    CompletableFuture<Void> unused = uploads.runAfterBoth(released, onFinished);
    return held;
  }

  /** Returns true for a failure that was not requested and that another start would not cure. */
  private boolean isWorthHolding() {
    if (isStopping() || nextAttempt != null || checkpointAsked) {
      return false;
    }
    ProgramExit programExit = exit();
    boolean failed = programExit.code() != 0 || !programExit.executorMessage().isEmpty();
    return failed && !programExit.timedOut() && !programExit.portTaken();
  }

  /** Ends the hold of the container. */
  void release() {
    released.complete(null);
  }

  private Duration remainingCopyTime() {
    return isStopping() ? stopGrace.minusNanos(AwakeClock.nanoTime() - stopNanos) : copyTimeout;
  }

  /**
   * Returns true if the program ended, or a limit ended it, before the executor was commanded to
   * end it.
   */
  boolean endedByItself() {
    return program.endedByItself();
  }

  /** See {@link ProgramProcess#hangLocation}. */
  String hangLocation() {
    return program.hangLocation();
  }

  /**
   * Returns the report of the program's end. Computed once: later changes to the program's files do
   * not alter it.
   */
  ProgramExit exit() {
    if (exit == null) {
      exit = program.toExit(exitCode);
    }
    return exit;
  }

  /**
   * Ends the program after SIGTERM from YARN; kills it after {@code grace}. Returns the uploader of
   * its checkpoints, which may still be busy, or null if there is none.
   */
  CheckpointUploader terminate(Duration grace) throws InterruptedException {
    if (running) {
      program.processGroup().terminate();
      try {
        Void unused = AwakeClock.await(ended, grace);
      } catch (TimeoutException | ExecutionException e) {
        program.processGroup().kill();
      }
    }
    if (uploader != null) {
      uploader.finish(remainingCopyTime());
    }
    return uploader;
  }

  /** Kills the program if it runs and stops uploading. */
  void kill() {
    if (uploader != null) {
      uploader.close();
    }
    if (running) {
      program.processGroup().kill();
    }
  }
}
