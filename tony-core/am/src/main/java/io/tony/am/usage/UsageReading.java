package io.tony.am.usage;

import io.tony.metrics.ReportedProgress;
import org.jspecify.annotations.Nullable;

/**
 * Sums and progress of one task at one moment. The difference of two readings shows what the task
 * did between them.
 *
 * @param progress progress that the current program reported last; null if none
 * @param progressAtMillis when {@code progress} was received, in milliseconds
 * @param lineCount number of progress lines received
 * @param restartCount how often the progress started over, as with a new epoch or program
 */
record UsageReading(
    Sums sums,
    @Nullable ReportedProgress progress,
    long progressAtMillis,
    int lineCount,
    int restartCount) {
  /**
   * Sums over the time covered by samples.
   *
   * @param millis this time in milliseconds
   * @param coreMillis number of busy cores, multiplied by time in milliseconds
   * @param gpuMillis time in milliseconds for which the GPU use is known
   * @param gpuPercentMillis GPU utilization in percent, multiplied by time in milliseconds
   */
  record Sums(double millis, double coreMillis, double gpuMillis, double gpuPercentMillis) {}

  /**
   * Returns the progress per second since {@code before}, in the unit of the reported progress; 0
   * if no progress was reported in between. NaN if the two readings are not comparable: one of them
   * has no progress, the total has changed, the progress has started over, or the task has finished
   * its work. Also NaN for a task without new progress whose total is not known: it may have
   * finished, and be evaluating or saving.
   */
  double pace(UsageReading before) {
    if (progress == null
        || before.progress == null
        || Double.compare(progress.total(), before.progress.total()) != 0
        || restartCount != before.restartCount
        || progress.done() >= progress.total()) {
      return Double.NaN;
    }
    double steps = progress.done() - before.progress.done();
    if (steps == 0 && !progress.hasTotal()) {
      return Double.NaN;
    }
    if (lineCount == before.lineCount) {
      return 0;
    }
    // Measure from line to line, so that the pace does not depend on when in the window the lines
    // arrive.
    return steps * 1_000 / (progressAtMillis - before.progressAtMillis);
  }

  /** Returns the mean number of busy cores since {@code before}; NaN if there were no samples. */
  double cores(UsageReading before) {
    return (sums.coreMillis - before.sums.coreMillis) / (sums.millis - before.sums.millis);
  }

  /** Returns the mean GPU utilization in percent since {@code before}; NaN if not known. */
  double gpuPercent(UsageReading before) {
    return (sums.gpuPercentMillis - before.sums.gpuPercentMillis)
        / (sums.gpuMillis - before.sums.gpuMillis);
  }
}
