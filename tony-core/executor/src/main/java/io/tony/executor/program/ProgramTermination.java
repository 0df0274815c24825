package io.tony.executor.program;

import io.tony.clock.AwakeClock;
import io.tony.clock.Durations;
import io.tony.executor.settings.ExecutorLog;
import io.tony.process.Spawner;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends a program, at most once: by SIGTERM and then SIGKILL and, if the gang hangs, only after
 * reading the stacks of the program's processes. Used only by the thread that runs the state
 * machine; the stacks are read by another thread.
 */
final class ProgramTermination {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramTermination.class);

  /**
   * Stack of the program, and the size of its stderr file, in bytes, before the stacks were read.
   */
  private record StackSnapshot(Stack stack, long stderrSize) {}

  private static final StackSnapshot UNKNOWN = new StackSnapshot(Stack.UNKNOWN, Long.MAX_VALUE);

  /** Time limit for reading the stacks; when it passes, the program is ended without them. */
  private static final Duration STACKS_TIMEOUT = StackCollector.LIMIT.plusSeconds(1);

  private final ProcessGroup processGroup;
  private final TaskFiles files;
  private final Duration grace;
  private final Spawner spawner;
  private volatile CompletableFuture<StackSnapshot> stackSnapshot =
      CompletableFuture.completedFuture(null);
  private final AtomicBoolean stopped = new AtomicBoolean();
  private boolean begun;
  private long deadlineNanos;

  ProgramTermination(ProcessGroup processGroup, TaskFiles files, Duration grace, Spawner spawner) {
    this.spawner = spawner;
    this.processGroup = processGroup;
    this.files = files;
    this.grace = grace;
  }

  boolean hasBegun() {
    return begun;
  }

  /**
   * Sends SIGTERM to the program, and SIGKILL after the grace time. Does nothing if ending the
   * program has already begun.
   */
  void begin() {
    if (!begun) {
      begun = true;
      processGroup.stop(grace);
    }
  }

  /**
   * Like {@link #begin}, but first reads the program's stacks on a new thread, for at most {@link
   * StackCollector#LIMIT}. If no thread can be started, the program is ended at once and its stack
   * is unknown.
   *
   * @param hung true if this program hangs; false if another program of its gang does
   */
  void beginWithStacks(boolean hung) {
    if (!begun) {
      begun = true;
      CompletableFuture<StackSnapshot> pending = new CompletableFuture<>();
      stackSnapshot = pending;
      deadlineNanos = AwakeClock.nanoTime() + STACKS_TIMEOUT.toNanos();
      try {
        spawner.startThread("stacks", () -> collectStacks(pending, hung));
      } catch (IOException e) {
        LOG.warn("where the program hangs cannot be determined: " + e);
        stopOnce(pending, UNKNOWN);
      }
    }
  }

  /**
   * Ends the program if reading its stacks has exceeded the time limit: the thread that reads may
   * be stuck, for example in a file of {@code /proc}.
   */
  void checkLimit() {
    if (!stackSnapshot.isDone() && AwakeClock.nanoTime() - deadlineNanos >= 0) {
      stopOnce(stackSnapshot, UNKNOWN);
    }
  }

  /** Returns the time until {@link #checkLimit} must be called again. */
  Duration untilLimit() {
    return stackSnapshot.isDone()
        ? Durations.NO_LIMIT
        : Duration.ofNanos(Math.max(0, deadlineNanos - AwakeClock.nanoTime()));
  }

  private void collectStacks(CompletableFuture<StackSnapshot> pending, boolean hung) {
    StackSnapshot snapshot = UNKNOWN;
    try {
      long stderrSize = files.stderrSize();
      List<Long> pids = processGroup.newScanner().scan().pids();
      Stack stack =
          files
              .newStackCollector(
                  hung ? StackCollector.Purpose.HUNG : StackCollector.Purpose.PEER_HUNG)
              .collect(pids);
      LOG.info("the program hung in " + (stack.isKnown() ? stack.place() : "an unknown place"));
      snapshot = stack.isKnown() ? new StackSnapshot(stack, stderrSize) : snapshot;
    } catch (IOException | RuntimeException e) {
      LOG.warn("where the program hangs cannot be determined", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopOnce(pending, snapshot);
    }
  }

  /**
   * Ends the program and records its stack. Only the first call, by the thread that reads the
   * stacks or by {@link #checkLimit}, has an effect.
   */
  private void stopOnce(CompletableFuture<StackSnapshot> pending, StackSnapshot snapshot) {
    if (!stopped.getAndSet(true)) {
      if (processGroup.isAlive()) {
        processGroup.stop(grace);
      }
      pending.complete(snapshot);
    }
  }

  /**
   * Returns a future that completes with the exit code when no process of the program is left and
   * reading its stacks has ended.
   */
  CompletableFuture<Integer> ended() {
    return processGroup.ended().thenCompose(code -> stackSnapshot.thenApply(snapshot -> code));
  }

  /**
   * Returns where the program was; empty if this could not be determined, null if its stacks were
   * not requested or are still being read.
   */
  @Nullable String hangLocation() {
    StackSnapshot snapshot = stackSnapshot.getNow(null);
    return snapshot == null ? null : snapshot.stack().place();
  }

  /**
   * Returns the last lines of stderr. If the stacks were read, leaves out what was written to
   * stderr after reading them began, and adds the innermost calls of the main thread instead.
   *
   * @param maxLines number of lines that the caller will report; the stack takes at most half of
   *     them
   */
  List<String> stderrTail(int maxLines) throws IOException {
    StackSnapshot snapshot = stackSnapshot.getNow(null);
    if (snapshot == null || !snapshot.stack().isKnown()) {
      return files.stderrTail();
    }
    List<String> lines = new ArrayList<>(files.stderrTail(snapshot.stderrSize()));
    lines.add("Where its main thread was (most recent call last; the log has all threads):");
    lines.addAll(snapshot.stack().lines(Math.max(1, maxLines / 2)));
    return lines;
  }
}
