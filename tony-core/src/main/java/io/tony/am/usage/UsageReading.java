package io.tony.am.usage;

import io.tony.metrics.ReportedProgress;

/**
 * Where one task stands: two readings tell what it did between them. What is not known is not a
 * number.
 *
 * @param progress what it wrote last of its progress; null where that tells nothing, and before the
 *     program that runs now has told anything
 * @param progressAtMillis when that was heard
 * @param lineCount how many lines of progress were heard that tell something
 * @param restartCount how often they counted anew, as with each epoch or start
 */
record UsageReading(
    Sums sums, ReportedProgress progress, long progressAtMillis, int lineCount, int restartCount) {
  /** Sums over the time that it was watched: of the time, of what it used in each moment of it. */
  record Sums(double millis, double coreMillis, double gpuMillis, double gpuPercentMillis) {}

  /**
   * By how much its progress went on in a second since {@code before}. Not a number for one that
   * has done all it has to, or counts anew; nor for one that stands and does not tell where it
   * ends, because it may have got there, and evaluate or save.
   */
  double pace(UsageReading before) {
    boolean comparable =
        progress != null
            && before.progress != null
            && Double.compare(progress.total(), before.progress.total()) == 0
            && restartCount == before.restartCount
            && !(progress.done() >= progress.total());
    if (!comparable) {
      return Double.NaN;
    }
    double steps = progress.done() - before.progress.done();
    if (steps == 0 && !progress.hasTotal()) {
      return Double.NaN;
    }
    if (lineCount == before.lineCount) {
      return 0;
    }
    // From line to line, so that it does not matter how seldom they come.
    return steps * 1_000 / (progressAtMillis - before.progressAtMillis);
  }

  /** How many cores it kept busy since {@code before}. */
  double cores(UsageReading before) {
    return (sums.coreMillis - before.sums.coreMillis) / (sums.millis - before.sums.millis);
  }

  /** In how many percent of the time since {@code before} its GPUs computed. */
  double gpuPercent(UsageReading before) {
    return (sums.gpuPercentMillis - before.sums.gpuPercentMillis)
        / (sums.gpuMillis - before.sums.gpuMillis);
  }
}
