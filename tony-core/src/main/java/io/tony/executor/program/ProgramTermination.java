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

/**
 * How a program is ended, once: by signals, and where its gang hangs after its processes have told
 * where they stand. Used by the one thread that owns the task's life.
 */
final class ProgramTermination {
  private static final ExecutorLog LOG = new ExecutorLog(ProgramTermination.class);

  /** Where it stood, and how much it had written to its stderr by then. */
  private record StackSnapshot(Stack stack, long stderrSize) {}

  private static final StackSnapshot UNKNOWN = new StackSnapshot(Stack.UNKNOWN, Long.MAX_VALUE);

  /** By then the program is told to end, whatever is known. */
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

  /** Has it end, if it does not already. */
  void begin() {
    if (!begun) {
      begun = true;
      processGroup.stop(grace);
    }
  }

  /**
   * The same, and before that has it tell where it stands, which takes {@link StackCollector#LIMIT}
   * at most and a thread of its own; where there is none to be had, that is not known.
   *
   * @param hung whether it is this program that hangs, and not another one of its gang
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
        LOG.warn("where the program stands cannot be seen: " + e);
        stopOnce(pending, UNKNOWN);
      }
    }
  }

  /**
   * Ends the program when it has had its time to tell where it stands: whatever holds the thread
   * that sees it, such as a file of a process that cannot be read.
   */
  void checkLimit() {
    if (!stackSnapshot.isDone() && AwakeClock.nanoTime() - deadlineNanos >= 0) {
      stopOnce(stackSnapshot, UNKNOWN);
    }
  }

  /** How long nothing can become of that limit. */
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
      LOG.info("the program stood in " + (stack.isKnown() ? stack.place() : "an unknown place"));
      snapshot = stack.isKnown() ? new StackSnapshot(stack, stderrSize) : snapshot;
    } catch (IOException | RuntimeException e) {
      LOG.warn("where the program stands cannot be seen", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopOnce(pending, snapshot);
    }
  }

  /** Goes on to end the program, once. */
  private void stopOnce(CompletableFuture<StackSnapshot> pending, StackSnapshot snapshot) {
    if (!stopped.getAndSet(true)) {
      if (processGroup.isAlive()) {
        processGroup.stop(grace);
      }
      pending.complete(snapshot);
    }
  }

  /** Done when nothing of it is left, and all that it was to tell is told. */
  CompletableFuture<Integer> ended() {
    return processGroup.ended().thenCompose(code -> stackSnapshot.thenApply(snapshot -> code));
  }

  /**
   * Where it stood, once it has ended; empty where that could not be seen, null where nobody asked.
   */
  String hangLocation() {
    StackSnapshot snapshot = stackSnapshot.getNow(null);
    return snapshot == null ? null : snapshot.stack().place();
  }

  /**
   * The end of its stderr; where its stacks were taken, which would fill that, only the innermost
   * calls of its main thread, behind what it wrote before.
   *
   * @param maxLines how many lines are wanted
   */
  List<String> stderrTail(int maxLines) throws IOException {
    StackSnapshot snapshot = stackSnapshot.getNow(null);
    if (snapshot == null || !snapshot.stack().isKnown()) {
      return files.stderrTail();
    }
    List<String> lines = new ArrayList<>(files.stderrTail(snapshot.stderrSize()));
    lines.add("Where its main thread stood (most recent call last; the log has all threads):");
    lines.addAll(snapshot.stack().lines(Math.max(1, maxLines / 2)));
    return lines;
  }
}
