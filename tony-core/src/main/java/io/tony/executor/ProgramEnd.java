package io.tony.executor;

import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How a program is ended, once: by signals, and where its gang hangs after its processes have told
 * where they stand. Used by the one thread that owns the task's life.
 */
final class ProgramEnd {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramEnd.class);

  /** Where it stood, and how much it had written to its stderr by then. */
  private record Taken(Stack stack, long stderr) {}

  private static final Taken UNKNOWN = new Taken(Stack.UNKNOWN, Long.MAX_VALUE);

  /** By then the program is told to end, whatever is known. */
  private static final Duration LATEST = Stacks.LIMIT.plusSeconds(1);

  private final UserProcess program;
  private final TaskFiles files;
  private final Duration grace;
  private final Spawner spawner;
  private volatile CompletableFuture<Taken> stacks = CompletableFuture.completedFuture(null);
  private final AtomicBoolean stopped = new AtomicBoolean();
  private boolean begun;
  private long latestNanos;

  ProgramEnd(UserProcess program, TaskFiles files, Duration grace, Spawner spawner) {
    this.spawner = spawner;
    this.program = program;
    this.files = files;
    this.grace = grace;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Has it end, if it does not already. */
  void begin() {
    if (!begun) {
      begun = true;
      program.stop(grace);
    }
  }

  /**
   * The same, and before that has it tell where it stands, which takes {@link Stacks#LIMIT} at most
   * and a thread of its own; where there is none to be had, that is not known.
   *
   * @param hung whether it is this program that hangs, and not another one of its gang
   */
  void beginWithStacks(boolean hung) {
    if (!begun) {
      begun = true;
      CompletableFuture<Taken> taking = new CompletableFuture<>();
      stacks = taking;
      latestNanos = AwakeClock.nanoTime() + LATEST.toNanos();
      try {
        spawner.thread("stacks", () -> take(taking, hung));
      } catch (IOException e) {
        LOG.warn("where the program stands cannot be seen: " + e);
        stop(taking, UNKNOWN);
      }
    }
  }

  /**
   * Ends the program when it has had its time to tell where it stands: whatever holds the thread
   * that sees it, such as a file of a process that cannot be read.
   */
  void checkLimit() {
    if (!stacks.isDone() && AwakeClock.nanoTime() - latestNanos >= 0) {
      stop(stacks, UNKNOWN);
    }
  }

  /** How long nothing can become of that limit. */
  Duration untilLimit() {
    return stacks.isDone()
        ? Durations.NO_LIMIT
        : Duration.ofNanos(Math.max(0, latestNanos - AwakeClock.nanoTime()));
  }

  private void take(CompletableFuture<Taken> taking, boolean hung) {
    Taken taken = UNKNOWN;
    try {
      long stderr = files.stderrSize();
      List<Long> pids = program.processes().look().pids();
      Stack stack = files.stacks(hung ? Stacks.Purpose.HANGS : Stacks.Purpose.WAITS).take(pids);
      LOG.info("the program stood in " + (stack.isKnown() ? stack.place() : "an unknown place"));
      taken = stack.isKnown() ? new Taken(stack, stderr) : taken;
    } catch (IOException | RuntimeException e) {
      LOG.warn("where the program stands cannot be seen", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stop(taking, taken);
    }
  }

  /** Goes on to end the program, once. */
  private void stop(CompletableFuture<Taken> taking, Taken taken) {
    if (!stopped.getAndSet(true)) {
      if (program.isAlive()) {
        program.stop(grace);
      }
      taking.complete(taken);
    }
  }

  /** Done when nothing of it is left, and all that it was to tell is told. */
  CompletableFuture<Integer> ended() {
    return program.ended().thenCompose(code -> stacks.thenApply(taken -> code));
  }

  /**
   * Where it stood, once it has ended; empty where that could not be seen, null where nobody asked.
   */
  String stood() {
    Taken taken = stacks.getNow(null);
    return taken == null ? null : taken.stack().place();
  }

  /**
   * The end of its stderr; where its stacks were taken, which would fill that, only the innermost
   * calls of its main thread, behind what it wrote before.
   *
   * @param most how many lines are wanted
   */
  List<String> lastWords(int most) throws IOException {
    Taken taken = stacks.getNow(null);
    if (taken == null || !taken.stack().isKnown()) {
      return files.stderrTail();
    }
    List<String> words = new ArrayList<>(files.stderrTail(taken.stderr()));
    words.add("Where its main thread stood (most recent call last; the log has all threads):");
    words.addAll(taken.stack().lines(Math.max(1, most / 2)));
    return words;
  }
}
