package io.tony.executor.checkpoint;

import io.tony.executor.rpc.Kept;
import java.util.function.Consumer;

/**
 * Tells what became of one program's checkpoints. Where none is kept for long, as while the
 * cluster's file system is out of reach, {@value #MOST_PROBLEMS} that are not are told, and more
 * only after one that is. Thread-safe.
 */
final class Telling implements Consumer<Kept> {
  static final int MOST_PROBLEMS = 100;

  private final Consumer<Kept> told;

  // Guarded by this; nobody is told under the lock, as that may take its time.
  private int problems; // since one was kept
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

  /** Tells this one however many were told before. */
  void insist(Kept one) {
    if (!isOver()) {
      told.accept(one);
    }
  }

  private synchronized boolean isOver() {
    return over;
  }

  /** What is told instead; null for nothing. */
  private synchronized Kept told(Kept one) {
    boolean problem = one.problem() != null;
    if (over || (problem && problems > MOST_PROBLEMS)) {
      return null;
    }
    problems = problem ? problems + 1 : 0;
    return problems > MOST_PROBLEMS ? andMore(one) : one;
  }

  private static Kept andMore(Kept one) {
    return one.because(
        MOST_PROBLEMS
            + " checkpoints one after the other were not kept, for the reasons above: what is named"
            + " is still copied, but more that is not kept is told only after one that is");
  }

  /** From now on, nothing is told. */
  synchronized void end() {
    over = true;
  }
}
