package io.tony.am.usage;

import io.tony.metrics.ReportedProgress;

/**
 * Sums and progress of one task at one moment; two readings show what the task did between them.
 * Figures that are not known are NaN.
 *
 * @param progress last reported progress; null if the current program has not reported any
 * @param progressAtMillis when {@code progress} was received
 * @param lineCount number of lines with progress received
 * @param restartCount how often the progress started over, as with an epoch or a restart
 */
record UsageReading(
    Sums sums, ReportedProgress progress, long progressAtMillis, int lineCount, int restartCount) {
  /**
   * Sums over the watched time, in milliseconds: of the time itself, and of the busy cores, the
   * time with known GPU use and the GPU percentage, each multiplied by time.
   */
  record Sums(double millis, double coreMillis, double gpuMillis, double gpuPercentMillis) {}

  /**
   * Returns the progress per second since {@code before}. NaN if the task has finished its work or
   * its progress started over. Also NaN without progress if the total is unknown, because the task
   * may be finished and evaluate or save.
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
    // Measured from line to line, so that the pace does not depend on how often lines come.
    return steps * 1_000 / (progressAtMillis - before.progressAtMillis);
  }

  /** Returns the mean number of busy cores since {@code before}. */
  double cores(UsageReading before) {
    return (sums.coreMillis - before.sums.coreMillis) / (sums.millis - before.sums.millis);
  }

  /** Returns the mean GPU utilisation in percent since {@code before}. */
  double gpuPercent(UsageReading before) {
    return (sums.gpuPercentMillis - before.sums.gpuPercentMillis)
        / (sums.gpuMillis - before.sums.gpuMillis);
  }
}
