package io.tony.executor.checkpoint;

import io.tony.executor.rpc.Kept;
import java.util.function.Consumer;

/**
 * Tells what became of one program's checkpoints. A program that writes something else into its
 * file of checkpoints has as many that cannot be kept as that has lines: after {@value
 * #MOST_PROBLEMS} it is left alone. Thread-safe.
 */
final class Telling implements Consumer<Kept> {
  static final int MOST_PROBLEMS = 100;

  private final Consumer<Kept> told;

  // Guarded by this; nobody is told under the lock, as that may take its time.
  private int problems;
  private boolean over;

  Telling(Consumer<Kept> told) {
    this.told = told;
  }

  @Override
  public void accept(Kept one) {
    Kept told = told(one);
    if (told != null) {
      this.told.accept(told);
    }
  }

  /** What is told instead; null for nothing. */
  private synchronized Kept told(Kept one) {
    if (over || (one.problem() != null && problems > MOST_PROBLEMS)) {
      return null;
    }
    if (one.problem() != null) {
      problems++;
    }
    return problems > MOST_PROBLEMS && one.problem() != null ? last(one) : one;
  }

  private static Kept last(Kept one) {
    return new Kept(
        one.set(),
        one.step(),
        one.bytes(),
        one.tookMs(),
        one.namedMs(),
        MOST_PROBLEMS
            + " checkpoints of this program could not be kept: more are not kept, and not told."
            + " Write into TONY_CHECKPOINT_FILE a line for each checkpoint that is finished, and"
            + " nothing else",
        one.path(),
        one.kept(),
        one.asked());
  }

  /** Whether there were so many problems that no more are told. */
  synchronized boolean hasEnough() {
    return problems > MOST_PROBLEMS;
  }

  /** From now on, nothing is told. */
  synchronized void end() {
    over = true;
  }
}
