package io.tony.executor.checkpoint;

import io.tony.executor.rpc.CheckpointOutcome;
import java.util.function.Consumer;

/**
 * Tells what became of one program's checkpoints. Where none is kept for long, as while the
 * cluster's file system is out of reach, {@value #MAX_PROBLEMS} that are not are told, and more
 * only after one that is. Thread-safe.
 */
final class UploadReporter implements Consumer<CheckpointOutcome> {
  static final int MAX_PROBLEMS = 100;

  private final Consumer<CheckpointOutcome> receiver;

  // Guarded by this; nobody is told under the lock, as that may take its time.
  private int problemCount; // since one was kept
  private boolean ended;

  UploadReporter(Consumer<CheckpointOutcome> receiver) {
    this.receiver = receiver;
  }

  @Override
  public void accept(CheckpointOutcome outcome) {
    CheckpointOutcome limited = countAndLimit(outcome);
    if (limited != null) {
      this.receiver.accept(limited);
    }
  }

  /** Tells this one however many were told before. */
  void acceptAlways(CheckpointOutcome outcome) {
    if (!isEnded()) {
      receiver.accept(outcome);
    }
  }

  private synchronized boolean isEnded() {
    return ended;
  }

  /** What is told instead; null for nothing. */
  private synchronized CheckpointOutcome countAndLimit(CheckpointOutcome outcome) {
    boolean problem = outcome.problem() != null;
    if (ended || (problem && problemCount > MAX_PROBLEMS)) {
      return null;
    }
    problemCount = problem ? problemCount + 1 : 0;
    return problemCount > MAX_PROBLEMS ? withLimitNotice(outcome) : outcome;
  }

  private static CheckpointOutcome withLimitNotice(CheckpointOutcome outcome) {
    return outcome.withProblem(
        MAX_PROBLEMS
            + " checkpoints one after the other were not kept, for the reasons above: what is named"
            + " is still copied, but more that is not kept is told only after one that is");
  }

  /** From now on, nothing is told. */
  synchronized void end() {
    ended = true;
  }
}
