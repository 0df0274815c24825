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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of the user's program, together with the upload of its checkpoints: from the program's
 * start until all checkpoints that it named are uploaded or given up. Used only by the thread that
 * runs the state machine.
 */
final class ProgramSession {
  private final ProgramProcess program;
  private final @Nullable CheckpointUploader uploader; // null if the task saves no checkpoints
  private final Duration copyTimeout;
  private final CompletableFuture<Void> ended;
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private boolean running = true;
  private boolean
      checkpointAsked; // a checkpoint was requested; the program may exit after saving it
  private int exitCode;
  private @Nullable ProgramExit exit; // computed on first use; null before
  // limit for ending the program and copying its checkpoints after a stop command; null if none was
  // received
  private @Nullable Duration stopGrace;
  // last restart command; null if none was received
  private ExecutorCommand.@Nullable Restart nextAttempt;
  private long stopNanos;
  private long releaseNanos; // end of the container's hold, as AwakeClock time

  /**
   * Creates the session of a program that was just started.
   *
   * @param uploader null if the task saves no checkpoints
   * @param copyTimeout limit for copying the remaining checkpoints after the program's end
   * @param onEnd called on another thread with the program's exit code
   */
  private ProgramSession(
      ProgramProcess program,
      @Nullable CheckpointUploader uploader,
      Duration copyTimeout,
      IntConsumer onEnd) {
    this.program = program;
    this.uploader = uploader;
    this.copyTimeout = copyTimeout;
    this.ended = program.ended().thenAccept(onEnd::accept);
  }

  /**
   * Starts the program and, before it, the uploader of its checkpoints if the task saves any.
   *
   * @param checkpointPath local path of the checkpoint to resume from; null to start from scratch
   * @param events receives the outcome of each checkpoint upload, and the program's end; called on
   *     other threads
   * @throws IOException if the program or the uploader cannot be started
   */
  static ProgramSession start(
      ExecutorCommand.Start start,
      @Nullable String checkpointPath,
      TaskId task,
      ProgramLauncher launcher,
      TaskCheckpoints checkpoints,
      Consumer<ExecutorEvent> events)
      throws IOException {
    Map<String, String> checkpointVariables =
        checkpoints.prepare(start.checkpoints(), checkpointPath);
    // Start the uploader first: the program must not run if its checkpoints cannot be saved.
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

  /** Returns the program if it runs; null once it has ended. */
  @Nullable ProgramProcess runningProgram() {
    return running ? program : null;
  }

  /**
   * Acts on time limits that have passed: those of the program while it runs; after its end, those
   * of the container's hold and of the checkpoint upload.
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

  /** Returns the time until {@link #checkLimits} must be called again. */
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
   * Stops the program and copies its remaining checkpoints, for at most {@code grace} altogether.
   * If the program has already ended, limits the copying to {@code grace}. Ends the hold of the
   * container.
   *
   * @param stacks whether to read the program's stacks before stopping it
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
   * Stops the program, if it runs, so that the next attempt can follow. If this is called several
   * times, the last command determines the next attempt. Ends the hold of the container.
   */
  void restart(ExecutorCommand.Restart command) {
    nextAttempt = command;
    release();
    if (running) {
      program.stop(command.stacks());
    }
  }

  /**
   * Returns the last restart command, which describes the next attempt; null if none was received,
   * or if a stop command was received, too.
   */
  ExecutorCommand.@Nullable Restart nextAttempt() {
    return isStopping() ? null : nextAttempt;
  }

  boolean isStopping() {
    return stopGrace != null;
  }

  /**
   * Handles the program's end: starts the hold of the container, if it must be held, and the
   * copying of the remaining checkpoints. Returns true if the container is held.
   *
   * @param code the program's exit code
   * @param hold how long to hold the container if {@link #isWorthHolding}; zero to never hold it. A
   *     stop or restart command ends the hold at once.
   * @param onFinished called, on any thread, when all checkpoints are uploaded or given up and the
   *     container is not held any more
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

  /**
   * Returns true if users may want to inspect the container of this program: the program failed for
   * another reason than its execution timeout or a taken port, and no stop, restart or checkpoint
   * had been requested, any of which may make a program exit.
   */
  private boolean isWorthHolding() {
    if (isStopping() || nextAttempt != null || checkpointAsked) {
      return false;
    }
    ProgramExit programExit = exit();
    boolean failed = programExit.code() != 0 || !programExit.executorMessage().isEmpty();
    return failed && !programExit.timedOut() && !programExit.portTaken();
  }

  /** Ends the hold of the container. Does nothing if the container is not held. */
  void release() {
    released.complete(null);
  }

  private Duration remainingCopyTime() {
    return stopGrace == null
        ? copyTimeout
        : stopGrace.minusNanos(AwakeClock.nanoTime() - stopNanos);
  }

  /**
   * Returns true if the program ended by itself, or at its execution or hang timeout, rather than
   * by a stop or restart command.
   */
  boolean endedByItself() {
    return program.endedByItself();
  }

  /** See {@link ProgramProcess#hangLocation}. */
  @Nullable String hangLocation() {
    return program.hangLocation();
  }

  /**
   * Returns the report of the program's end. The report is made at the first call and then kept, so
   * that later changes to the program's output files do not alter it.
   */
  ProgramExit exit() {
    if (exit == null) {
      exit = program.toExit(exitCode);
    }
    return exit;
  }

  /**
   * Sends SIGTERM to the program, because YARN ends this container, and kills the program if it has
   * not ended after {@code grace}. Returns the uploader of its checkpoints, which may still be
   * busy; empty if the task saves no checkpoints.
   */
  Optional<CheckpointUploader> terminate(Duration grace) throws InterruptedException {
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
    return Optional.ofNullable(uploader);
  }

  /**
   * Kills the program if it runs. Checkpoints that are not uploaded yet are not uploaded any more.
   */
  void kill() {
    if (uploader != null) {
      uploader.close();
    }
    if (running) {
      program.processGroup().kill();
    }
  }
}
