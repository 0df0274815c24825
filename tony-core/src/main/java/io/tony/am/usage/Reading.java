package io.tony.am.usage;

import io.tony.model.Reached;

/**
 * Where one task stands: two readings tell what it did between them. What is not known is not a
 * number.
 *
 * @param reached what it wrote last of its progress; null where that tells nothing, and before the
 *     program that runs now has told anything
 * @param reachedAtMillis when that was heard
 * @param lines how many lines of progress were heard that tell something
 * @param beginnings how often they counted anew, as with each epoch or start
 */
record Reading(Sums sums, Reached reached, long reachedAtMillis, int lines, int beginnings) {
  /** Sums over the time that it was watched: of the time, of what it used in each moment of it. */
  record Sums(double millis, double coreMillis, double gpuMillis, double gpuPercentMillis) {}

  /**
   * By how much its progress went on in a second since {@code before}. Not a number for one that
   * has done all it has to, or counts anew; nor for one that stands and does not tell where it
   * ends, because it may have got there, and evaluate or save.
   */
  double pace(Reading before) {
    boolean comparable =
        reached != null
            && before.reached != null
            && Double.compare(reached.whole(), before.reached.whole()) == 0
            && beginnings == before.beginnings
            && !(reached.done() >= reached.whole());
    if (!comparable) {
      return Double.NaN;
    }
    double steps = reached.done() - before.reached.done();
    if (steps == 0 && !reached.hasWhole()) {
      return Double.NaN;
    }
    if (lines == before.lines) {
      return 0;
    }
    // From line to line, so that it does not matter how seldom they come.
    return steps * 1_000 / (reachedAtMillis - before.reachedAtMillis);
  }

  /** How many cores it kept busy since {@code before}. */
  double cores(Reading before) {
    return (sums.coreMillis - before.sums.coreMillis) / (sums.millis - before.sums.millis);
  }

  /** In how many percent of the time since {@code before} its GPUs computed. */
  double gpuPercent(Reading before) {
    return (sums.gpuPercentMillis - before.sums.gpuPercentMillis)
        / (sums.gpuMillis - before.sums.gpuMillis);
  }
}
