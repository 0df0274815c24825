package io.tony.am.usage;

import java.time.Duration;
import java.util.List;

/**
 * The usage of one role. Each figure is the highest of any task, because all containers of a role
 * have the same size.
 *
 * @param watchedCount number of tasks that were sampled long enough to show what they need
 * @param peakMiB highest memory use of a container in MiB, including the executor
 * @param cores highest mean number of busy cores of a watched task
 * @param gpuPercent highest mean GPU utilization of a watched task, in percent; NaN if not known
 */
record RoleUsage(int watchedCount, long peakMiB, double cores, double gpuPercent) {
  private static final Duration MIN_WATCHED_TIME = Duration.ofSeconds(30);

  /**
   * Totals of one task over all its attempts, in the units of {@link RoleUsage}.
   *
   * @param time total time covered by samples
   */
  record TaskTotals(Duration time, long peakMiB, double cores, double gpuPercent) {}

  static RoleUsage of(List<TaskTotals> tasks) {
    int watchedCount = 0;
    long peak = 0;
    double cores = 0;
    double gpuPercent = Double.NaN;
    for (TaskTotals task : tasks) {
      peak = Math.max(peak, task.peakMiB());
      if (task.time().compareTo(MIN_WATCHED_TIME) >= 0) {
        watchedCount++;
        cores = Math.max(cores, task.cores());
        gpuPercent =
            Double.isNaN(gpuPercent) ? task.gpuPercent() : Math.max(gpuPercent, task.gpuPercent());
      }
    }
    return new RoleUsage(watchedCount, peak, cores, gpuPercent);
  }
}
