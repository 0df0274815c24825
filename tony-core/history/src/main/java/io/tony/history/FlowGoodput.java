package io.tony.history;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Goodput of many jobs together: the share of their time whose training result was kept, which is
 * the mean of their goodput, weighted by their durations.
 *
 * @param jobs number of finished jobs
 * @param lost number of these jobs whose end was not recorded, so that their duration is unknown
 * @param unknown number of these jobs whose end was recorded, but not their goodput or duration
 * @param time total duration of the jobs whose goodput is known
 * @param share the goodput, from 0 to 1; null if no job's goodput is known
 */
public record FlowGoodput(int jobs, int lost, int unknown, Duration time, @Nullable Double share) {

  /** Returns the goodput of all finished jobs that match {@code filter}. */
  public static FlowGoodput of(HistoryIndex index, Predicate<JobSummary> filter) {
    int jobs = 0;
    int lost = 0;
    int unknown = 0;
    long millis = 0;
    double keptMillis = 0;
    Predicate<JobSummary> ended = job -> job.status() != JobSummary.Status.RUNNING;
    for (JobSummary job : index.page(filter.and(ended), 0, Integer.MAX_VALUE).jobs()) {
      jobs++;
      Duration took = job.ended() == null ? null : job.duration(job.ended());
      if (job.status() == JobSummary.Status.LOST) {
        lost++;
      } else if (job.goodput() == null || took == null || took.isNegative()) {
        unknown++;
      } else {
        millis += took.toMillis();
        keptMillis += job.goodput() * took.toMillis();
      }
    }
    return new FlowGoodput(
        jobs, lost, unknown, Duration.ofMillis(millis), millis == 0 ? null : keptMillis / millis);
  }
}
