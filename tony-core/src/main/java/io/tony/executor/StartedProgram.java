package io.tony.executor;

import io.tony.executor.checkpoint.Keeper;
import io.tony.executor.rpc.Exit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private boolean runs = true;
  private int exitCode;
  private Duration stopGrace; // null until it is to stop
  private long stopNanos;

  /**
   * Of one that runs.
   *
   * @param keeper null where the task keeps no checkpoints
   * @param copyTimeout for what is left to copy at its end
   * @param onEnd gets its exit code, on another thread
   */
  StartedProgram(ProgramRun run, Keeper keeper, Duration copyTimeout, IntConsumer onEnd) {
    this.run = run;
    this.keeper = keeper;
    this.copyTimeout = copyTimeout;
    this.ended = run.ended().thenAccept(onEnd::accept);
  }

  /** Null once it has ended. */
  ProgramRun running() {
    return runs ? run : null;
  }

  /** Has it end, and copies what is left within the same time. */
  void stop(boolean stacks, Duration grace) {
    stopGrace = grace;
    stopNanos = System.nanoTime();
    if (runs) {
      run.end(stacks);
    } else if (keeper != null) {
      keeper.finish(grace);
    }
  }

  boolean isToStop() {
    return stopGrace != null;
  }

  /** It is gone. {@code then} is called on some thread when nothing is left to keep. */
  void ended(int code, Runnable then) {
    runs = false;
    exitCode = code;
    if (keeper == null) {
      then.run();
    } else {
      keeper.finish(copyTime());
      CompletableFuture<Void> unused = keeper.ended().thenRun(then);
    }
  }

  private Duration copyTime() {
    return isToStop() ? stopGrace.minusNanos(System.nanoTime() - stopNanos) : copyTimeout;
  }

  /** Whether it had ended, or had to be ended, before this executor was told to end it. */
  boolean endedByItself() {
    return run.endedByItself();
  }

  /** As {@link ProgramRun#stood}. */
  String stood() {
    return run.stood();
  }

  /** What is to be told of its end. */
  Exit report() {
    return run.report(exitCode);
  }

  /** Ends it, on a signal of YARN's. Returns who still keeps its checkpoints, or null. */
  Keeper terminate(Duration grace) throws InterruptedException {
    if (runs) {
      run.program().terminate();
      try {
        ended.get(grace.toMillis(), TimeUnit.MILLISECONDS);
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
