package io.tony.history.web;

import io.tony.event.JobDescription;
import io.tony.history.HistoryIndex;
import io.tony.history.JobSummary;
import io.tony.history.JobSummary.Status;
import io.tony.metrics.PrometheusText;
import io.tony.model.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of all jobs in an index. Gauges describe the index at the time of the request. Counters
 * count the jobs that each update finds newly ended; deleted jobs do not decrease the counters,
 * which start at 0 when the service starts. Thread-safe.
 */
final class HistoryMetrics {
  /**
   * Maximum number of Azkaban steps with metrics of their own. A job can name any project, flow and
   * step, and Prometheus keeps each time series for weeks.
   */
  static final int MAX_STEPS = 500;

  /**
   * A job that an update finds newly ended is counted only if it ended at most this long before the
   * previous update. A job that ended earlier is not new; its folder was unreadable for some time.
   */
  private static final Duration MAX_LATE = Duration.ofMinutes(10);

  private static final double NANOS = 1e9;
  private static final double MILLIS = 1_000;

  private final HistoryIndex index;
  private final Map<Status, Integer> ended = new EnumMap<>(Status.class);
  private final Map<FailureKind, Integer> failures = new EnumMap<>(FailureKind.class);
  // Finished jobs, as ID@owner; null before the first update.
  private @Nullable Set<String> countedJobs;
  private Instant updatedAt = Instant.EPOCH;
  private double updateSeconds;
  private int unreadable;
  private int updateFailures;

  HistoryMetrics(HistoryIndex index) {
    this.index = index;
  }

  /**
   * Records a successful update of the index, which ended at the time {@code at} and took {@code
   * took}.
   */
  synchronized void recordUpdate(HistoryIndex.Update update, Instant at, Duration took) {
    if (countedJobs == null || update.readCount() > 0 || update.removedCount() > 0) {
      countEnded();
    }
    updatedAt = at;
    updateSeconds = took.toNanos() / NANOS;
    unreadable = update.unreadableCount();
  }

  /** Records a failed update of the index. */
  synchronized void recordUpdateFailure() {
    updateFailures++;
  }

  private void countEnded() {
    Set<String> endedJobs = new HashSet<>();
    for (JobSummary job : allJobs()) {
      if (job.status() != Status.RUNNING) {
        // The owner is part of the name, because any user can create a folder with this ID.
        String name = job.application() + "@" + job.user();
        endedJobs.add(name);
        boolean isRecent = job.ended() == null || job.ended().isAfter(updatedAt.minus(MAX_LATE));
        if (countedJobs != null && !countedJobs.contains(name) && isRecent) {
          ended.merge(job.status(), 1, Integer::sum);
          if (job.kind() != null && job.status() != Status.KILLED) {
            failures.merge(job.kind(), 1, Integer::sum);
          }
        }
      }
    }
    countedJobs = endedJobs;
  }

  private List<JobSummary> allJobs() {
    return index.page(job -> true, 0, Integer.MAX_VALUE).jobs();
  }

  /** Returns all metrics in Prometheus' text format. */
  synchronized String text(Instant now) {
    List<JobSummary> jobs = allJobs();
    PrometheusText text = new PrometheusText();
    Map<Status, Integer> byStatus = new EnumMap<>(Status.class);
    jobs.forEach(job -> byStatus.merge(job.status(), 1, Integer::sum));
    text.with(
            HistoryMetric.JOBS.metric(),
            samples -> {
              for (Status status : Status.values()) {
                samples.add(byStatus.getOrDefault(status, 0), label(status));
              }
            })
        .with(
            HistoryMetric.ENDED.metric(),
            samples -> {
              for (Status status : Status.values()) {
                if (status != Status.RUNNING) {
                  samples.add(ended.getOrDefault(status, 0), label(status));
                }
              }
            })
        .with(
            HistoryMetric.FAILURES.metric(),
            samples -> {
              for (FailureKind kind : FailureKind.values()) {
                if (kind != FailureKind.RESIZED) { // no job ends with RESIZED
                  samples.add(failures.getOrDefault(kind, 0), kind.name());
                }
              }
            });
    new RecentJobs(jobs, now).write(text);
    writeSteps(text, jobs);
    return text.with(HistoryMetric.UPDATED.metric(), updatedAt.toEpochMilli() / MILLIS)
        .with(HistoryMetric.UPDATE_TIME.metric(), updateSeconds)
        .with(HistoryMetric.UPDATE_FAILURES.metric(), updateFailures)
        .with(HistoryMetric.UNREADABLE.metric(), unreadable)
        .toString();
  }

  /**
   * A step of an Azkaban flow. {@code user} is the owner of the jobs' folders; the other values
   * come from the event logs.
   */
  private record Step(String user, String project, String flow, String job) {
    static Step of(JobSummary job) {
      JobDescription.AzkabanStep step = job.step();
      return new Step(job.user(), step.project(), step.flow(), step.job());
    }
  }

  private static void writeSteps(PrometheusText text, List<JobSummary> jobs) {
    Map<String, Map<Step, Instant>> last = new HashMap<>();
    for (JobSummary job : jobs) {
      if (job.status() == Status.SUCCEEDED
          && job.ended() != null
          && !job.step().project().isEmpty()) {
        OwnerOrder.forOwner(last, job.user())
            .merge(Step.of(job), job.ended(), (one, other) -> one.isAfter(other) ? one : other);
      }
    }
    text.with(
        HistoryMetric.STEP_SUCCESS.metric(),
        samples ->
            OwnerOrder.of(last).stream()
                .limit(MAX_STEPS)
                .forEach(
                    step ->
                        samples.add(
                            lastSuccess(last, step).toEpochMilli() / MILLIS,
                            step.user(),
                            step.project(),
                            step.flow(),
                            step.job())));
  }

  private static Instant lastSuccess(Map<String, Map<Step, Instant>> last, Step step) {
    Map<Step, Instant> ofUser = Objects.requireNonNull(last.get(step.user()));
    return Objects.requireNonNull(ofUser.get(step));
  }

  private static String label(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }
}
