package io.tony.history.web;

import static io.tony.metrics.Metric.counter;
import static io.tony.metrics.Metric.gauge;

import io.tony.metrics.Metric;

/** The metrics of the history service, listed in {@code docs/prometheus.md}. */
public enum HistoryMetric {
  JOBS(gauge("tony_history_jobs", "Jobs in the index, by status.", "status")),
  ENDED(
      counter(
          "tony_history_ended_jobs_total",
          "Jobs whose end was found since this service has read the index for the first time; those"
              + " that are deleted stay counted.",
          "status")),
  FAILURES(
      counter(
          "tony_history_failures_total",
          "Those of them that failed or were lost, by the kind of the failure.",
          "kind")),
  RECENT_JOBS(
      gauge(
          "tony_history_recent_jobs",
          "Jobs that ended within the window; of 100 queues: of each user"
              + " those with the most of them.",
          "queue",
          "window")),
  QUEUE_WAIT(
      gauge(
          "tony_history_queue_wait_seconds",
          "Of these jobs: from the submission until all tasks were ordered to start for the first"
              + " time.",
          "queue",
          "window",
          "stat")),
  GOODPUT(
      gauge(
          "tony_history_goodput_ratio",
          "Of these jobs: which part of their time trained, and was kept: 0 to 1; each counts by its"
              + " duration.",
          "queue",
          "window")),
  STEP_SUCCESS(
      gauge(
          "tony_history_step_last_success_timestamp_seconds",
          "When a job of this step of an Azkaban flow succeeded last, in seconds since 1970; user is"
              + " who owns the job's log. Of 500 steps: of each user those that succeeded last.",
          "user",
          "project",
          "flow",
          "step")),
  UPDATED(
      gauge(
          "tony_history_updated_timestamp_seconds",
          "When the index was brought up to date last, in seconds since 1970; 0 before the first"
              + " time.")),
  UPDATE_TIME(gauge("tony_history_update_duration_seconds", "How long that took.")),
  UPDATE_FAILURES(
      counter(
          "tony_history_update_failures_total",
          "How often the index could not be brought up to date since this service began.")),
  UNREADABLE(
      gauge(
          "tony_history_unreadable_folders",
          "Folders that this service may not read; their jobs are missing everywhere."));

  /** {@link Metric} is immutable, because it copies its labels. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final Metric metric;

  HistoryMetric(Metric metric) {
    this.metric = metric;
  }

  public Metric metric() {
    return metric;
  }
}
