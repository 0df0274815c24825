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
 * A program from its start until nothing is left to keep of the checkpoints that it named. Used by
 * the one thread that owns the task's life.
 */
final class ProgramSession {
  private final ProgramProcess program;
  private final CheckpointUploader uploader; // null where the task keeps none
  private final Duration copyTimeout;
  private final CompletableFuture<Void> ended;
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private boolean running = true;
  private boolean checkpointAsked; // for a checkpoint, after which it may end
  private int exitCode;
  private ProgramExit exit; // null until it is asked for
  private Duration stopGrace; // null until it is to stop
  private ExecutorCommand.Restart nextAttempt; // null as long as nothing is to follow it
  private long stopNanos;
  private long releaseNanos; // of its container, as long as that is kept

  /**
   * Of one that runs.
   *
   * @param uploader null where the task keeps no checkpoints
   * @param copyTimeout for what is left to copy at its end
   * @param onEnd gets its exit code, on another thread
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
   * Has it run.
   *
   * @param checkpointPath local path of the checkpoint that it goes on from; null where it begins
   *     anew
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
    // First: a program whose checkpoints nobody keeps is not to run.
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

  /** Null once it has ended. */
  ProgramProcess runningProgram() {
    return running ? program : null;
  }

  /** Whether it or what follows it has gone on for too long. */
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

  /** How long nothing can become of the limits. */
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

  /** Asks the program, if it runs, for a checkpoint. */
  void askForCheckpoint(ExecutorCommand.AskForCheckpoint request) {
    if (running) {
      checkpointAsked = true;
      if (uploader != null) {
        uploader.checkpointAsked(request.askedMs());
      }
      program.askForCheckpoint(request);
    }
  }

  /** Has it end, and copies what is left within the same time. */
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

  /** Has it end, where it runs: another attempt is to follow it, the last one that is told. */
  void restart(ExecutorCommand.Restart command) {
    nextAttempt = command;
    release();
    if (running) {
      program.stop(command.stacks());
    }
  }

  /** What is to follow it; null for nothing. */
  ExecutorCommand.Restart nextAttempt() {
    return isStopping() ? null : nextAttempt;
  }

  boolean isStopping() {
    return stopGrace != null;
  }

  /**
   * It is gone. {@code then} is called on some thread when nothing is left to keep of its
   * checkpoints, and its container was kept for long enough.
   *
   * @param hold how long that is after a failure that is worth a look; a stop, or a start of
   *     another attempt, ends it at once
   * @return whether it is kept for so long
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

  /** A failure that nobody asked for, and that another start would not cure. */
  private boolean isWorthHolding() {
    if (isStopping() || nextAttempt != null || checkpointAsked) {
      return false;
    }
    ProgramExit programExit = exit();
    boolean failed = programExit.code() != 0 || !programExit.executorMessage().isEmpty();
    return failed && !programExit.timedOut() && !programExit.portTaken();
  }

  /** Its container is kept no longer. */
  void release() {
    released.complete(null);
  }

  private Duration remainingCopyTime() {
    return isStopping() ? stopGrace.minusNanos(AwakeClock.nanoTime() - stopNanos) : copyTimeout;
  }

  /** Whether it had ended, or had to be ended, before this executor was told to end it. */
  boolean endedByItself() {
    return program.endedByItself();
  }

  /** As {@link ProgramProcess#hangLocation}. */
  String hangLocation() {
    return program.hangLocation();
  }

  /** What is to be told of its end; as it was then, whatever is written into its files later. */
  ProgramExit exit() {
    if (exit == null) {
      exit = program.toExit(exitCode);
    }
    return exit;
  }

  /** Ends it, on a signal of YARN's. Returns who still keeps its checkpoints, or null. */
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

  /** Whatever is left of it. */
  void kill() {
    if (uploader != null) {
      uploader.close();
    }
    if (running) {
      program.processGroup().kill();
    }
  }
}
