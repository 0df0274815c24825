package io.tony.am.usage;

import java.time.Duration;
import java.util.List;

/**
 * What the tasks of one role have used: of each figure that of the task with the highest, because
 * all containers of a role are of one size.
 *
 * @param watchedCount how many tasks were watched for long enough to tell what they need
 * @param peakMiB memory of a container at its peak, the executor's included
 * @param cores mean over the time of one of the watched tasks
 * @param gpuPercent mean utilisation of a watched task's GPUs; not a number where it is not known
 */
record RoleUsage(int watchedCount, long peakMiB, double cores, double gpuPercent) {
  private static final Duration MIN_WATCHED_TIME = Duration.ofSeconds(30);

  /** One task over all its attempts; the figures are those of the role. */
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
