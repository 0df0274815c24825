package io.tony.executor;

import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.checkpoint.Keeper;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Exit;
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
final class StartedProgram {
  private final ProgramRun run;
  private final Keeper keeper; // null where the task keeps none
  private final Duration copyTimeout;
  private final CompletableFuture<Void> ended;
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private boolean runs = true;
  private boolean asked; // for a checkpoint, after which it may end
  private int exitCode;
  private Exit exit; // null until it is asked for
  private Duration stopGrace; // null until it is to stop
  private Command.Restart again; // null as long as nothing is to follow it
  private long stopNanos;
  private long releaseNanos; // of its container, as long as that is kept

  /**
   * Of one that runs.
   *
   * @param keeper null where the task keeps no checkpoints
   * @param copyTimeout for what is left to copy at its end
   * @param onEnd gets its exit code, on another thread
   */
  private StartedProgram(ProgramRun run, Keeper keeper, Duration copyTimeout, IntConsumer onEnd) {
    this.run = run;
    this.keeper = keeper;
    this.copyTimeout = copyTimeout;
    this.ended = run.ended().thenAccept(onEnd::accept);
  }

  /**
   * Has it run.
   *
   * @param latest local path of the checkpoint that it goes on from; null where it begins anew
   */
  static StartedProgram start(
      Command.Start start,
      String latest,
      TaskId task,
      Programs programs,
      TaskCheckpoints checkpoints,
      Consumer<Signal> signals)
      throws IOException {
    Map<String, String> told = checkpoints.begin(start.checkpoints(), latest);
    // First: a program whose checkpoints nobody keeps is not to run.
    Keeper keeper =
        checkpoints.keep(
            task, start.checkpoints(), kept -> signals.accept(new Signal.CheckpointKept(kept)));
    ProgramRun run;
    try {
      run = programs.start(start, told);
    } catch (IOException | RuntimeException e) {
      if (keeper != null) {
        keeper.close();
      }
      throw e;
    }
    return new StartedProgram(
        run,
        keeper,
        Duration.ofMillis(start.checkpoints().copyTimeoutMs()),
        code -> signals.accept(new Signal.ProgramEnded(code)));
  }

  /** Null once it has ended. */
  ProgramRun running() {
    return runs ? run : null;
  }

  /** Whether it or what follows it has gone on for too long. */
  void checkLimits() {
    if (runs) {
      run.checkLimits();
      return;
    }
    if (untilRelease().isNegative()) {
      release();
    }
    if (keeper != null) {
      keeper.checkLimit();
    }
  }

  /** How long nothing can become of the limits. */
  Duration untilNextCheck() {
    if (runs) {
      return run.untilNextCheck();
    }
    Duration release = untilRelease();
    return keeper == null ? release : Durations.shorter(release, keeper.untilLimit());
  }

  private Duration untilRelease() {
    return released.isDone()
        ? Durations.NO_LIMIT
        : Duration.ofNanos(releaseNanos - AwakeClock.nanoTime());
  }

  /** Asks the program, if it runs, for a checkpoint. */
  void ask(Command.AskForCheckpoint wish) {
    if (runs) {
      asked = true;
      if (keeper != null) {
        keeper.asked(wish.askedMs());
      }
      run.ask(wish);
    }
  }

  /** Has it end, and copies what is left within the same time. */
  void stop(boolean stacks, Duration grace) {
    stopGrace = grace;
    stopNanos = AwakeClock.nanoTime();
    release();
    if (runs) {
      run.end(stacks);
    } else if (keeper != null) {
      keeper.finish(grace);
    }
  }

  /** Has it end, where it runs: another attempt is to follow it, the last one that is told. */
  void restart(Command.Restart command) {
    again = command;
    release();
    if (runs) {
      run.end(command.stacks());
    }
  }

  /** What is to follow it; null for nothing. */
  Command.Restart again() {
    return isToStop() ? null : again;
  }

  boolean isToStop() {
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
  boolean ended(int code, Duration hold, Runnable then) {
    runs = false;
    exitCode = code;
    boolean held = !hold.isZero() && isWorthALook();
    if (held) {
      releaseNanos = AwakeClock.nanoTime() + hold.toNanos();
    } else {
      release();
    }
    CompletableFuture<Void> kept = CompletableFuture.completedFuture(null);
    if (keeper != null) {
      keeper.finish(copyTime());
      kept = keeper.ended();
    }
    CompletableFuture<Void> unused = kept.runAfterBoth(released, then);
    return held;
  }

  /** A failure that nobody asked for, and that another start would not cure. */
  private boolean isWorthALook() {
    if (isToStop() || again != null || asked) {
      return false;
    }
    Exit how = report();
    boolean failed = how.code() != 0 || !how.executorMessage().isEmpty();
    return failed && !how.timedOut() && !how.portTaken();
  }

  /** Its container is kept no longer. */
  void release() {
    released.complete(null);
  }

  private Duration copyTime() {
    return isToStop() ? stopGrace.minusNanos(AwakeClock.nanoTime() - stopNanos) : copyTimeout;
  }

  /** Whether it had ended, or had to be ended, before this executor was told to end it. */
  boolean endedByItself() {
    return run.endedByItself();
  }

  /** As {@link ProgramRun#stood}. */
  String stood() {
    return run.stood();
  }

  /** What is to be told of its end; as it was then, whatever is written into its files later. */
  Exit report() {
    if (exit == null) {
      exit = run.report(exitCode);
    }
    return exit;
  }

  /** Ends it, on a signal of YARN's. Returns who still keeps its checkpoints, or null. */
  Keeper terminate(Duration grace) throws InterruptedException {
    if (runs) {
      run.program().terminate();
      try {
        Void unused = AwakeClock.await(ended, grace);
      } catch (TimeoutException | ExecutionException e) {
        run.program().kill();
      }
    }
    if (keeper != null) {
      keeper.finish(copyTime());
    }
    return keeper;
  }

  /** Whatever is left of it. */
  void kill() {
    if (keeper != null) {
      keeper.close();
    }
    if (runs) {
      run.program().kill();
    }
  }
}
