package io.tony.executor.checkpoint;

import io.tony.executor.rpc.CheckpointOutcome;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the outcomes of one program's checkpoints on to the receiver. After {@value #MAX_PROBLEMS}
 * consecutive failures, for example while the cluster's file system is unreachable, drops further
 * failures until a checkpoint is saved again. Thread-safe.
 */
final class UploadReporter implements Consumer<CheckpointOutcome> {
  static final int MAX_PROBLEMS = 100;

  private final Consumer<CheckpointOutcome> receiver;

  // The fields below are guarded by this. The receiver is called without the lock, because it may
  // block.
  private int problemCount; // consecutive failures since the last success
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

  /**
   * Reports an outcome even if too many failures were reported already. Ignores it after {@link
   * #end}.
   */
  void acceptAlways(CheckpointOutcome outcome) {
    if (!isEnded()) {
      receiver.accept(outcome);
    }
  }

  private synchronized boolean isEnded() {
    return ended;
  }

  /**
   * Counts the outcome. Returns what to pass on: the outcome, or, when the limit of failures is
   * reached, the outcome with a notice about that; null to drop it.
   */
  private synchronized @Nullable CheckpointOutcome countAndLimit(CheckpointOutcome outcome) {
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
            + " is still copied, but more that is not kept is reported only after one that is");
  }

  /** Ends reporting: further outcomes are ignored. */
  synchronized void end() {
    ended = true;
  }
}
