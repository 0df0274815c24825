package io.tony.history;

import java.time.Duration;
import java.util.function.Predicate;

/**
 * Which part of the time of many jobs trained and was kept: the mean of their goodput, each as
 * heavy as it took long.
 *
 * @param jobs all that have ended
 * @param lost those of them whose end is not recorded; nobody knows how long they took
 * @param unknown those of them that have recorded an end, but no goodput
 * @param time of those whose goodput is known
 * @param share from 0 to 1; null where none is known
 */
public record FlowGoodput(int jobs, int lost, int unknown, Duration time, Double share) {

  /** Of all jobs that match. */
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
