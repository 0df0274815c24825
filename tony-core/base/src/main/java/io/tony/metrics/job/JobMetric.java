package io.tony.metrics.job;

import static io.tony.metrics.Metric.counter;
import static io.tony.metrics.Metric.gauge;

import io.tony.metrics.Metric;

/** The metrics of a job; {@code docs/prometheus.md} lists them. */
public enum JobMetric {
  INFO(
      gauge(
          "tony_job_info",
          "What the job is; always 1.",
          "application",
          "user",
          "queue",
          "name",
          "framework")),
  PHASE(
      gauge(
          "tony_job_phase",
          "1 for the phase that the job is in, 0 for the others; docs/timeline.md says what they"
              + " are.",
          "phase")),
  QUEUE_WAIT(
      gauge(
          "tony_job_queue_wait_seconds",
          "From the submission until all tasks were ordered to start for the first time; until now"
              + " while that has not happened.")),
  TIME(
      gauge(
          "tony_job_time_seconds",
          "Where the time of the job went so far; docs/goodput.md says what the parts are.",
          "part")),
  GOODPUT(
      gauge(
          "tony_job_goodput_ratio",
          "Which part of the job's time so far trained, and was kept: 0 to 1.")),
  PROGRESS(
      gauge(
          "tony_job_progress_ratio",
          "How far the job is by its programs' own reports: 0 to 1; absent where they report none.")),
  JOB_TASKS(gauge("tony_job_tasks", "Tasks of the whole job, as many as there are now.")),
  TASKS(
      gauge(
          "tony_tasks",
          "Tasks that have, or had, a container, by state; not those that are gone because their"
              + " gang has become smaller.",
          "role",
          "state")),
  TASK_FAILURES(
      counter("tony_task_failures_total", "Failures of tasks since the job began.", "kind")),
  TASK_RESTARTS(
      counter(
          "tony_task_restarts_total",
          "How often a task of the role was started again by itself since the job began.",
          "role")),
  GANG_RESTARTS(
      counter(
          "tony_gang_restarts_total",
          "How often the whole gang was started again since the job began.")),
  TASK_MEMORY(
      gauge(
          "tony_task_memory_bytes",
          "Resident memory of the tasks of the role that run.",
          "role",
          "stat")),
  TASK_CORES(
      gauge(
          "tony_task_cpu_cores",
          "How many cores the tasks of the role keep busy. In a role of more than 32, it is known"
              + " of three: those with the least, the median and the most memory.",
          "role",
          "stat")),
  TASK_GPU(
      gauge(
          "tony_task_gpu_busy_ratio",
          "In which part of the time the GPUs of the role's tasks compute: 0 to 1; of the same"
              + " tasks as the cores.",
          "role",
          "stat")),
  TASK_GPU_MEMORY(
      gauge(
          "tony_task_gpu_memory_bytes",
          "Memory used on all GPUs of a task; of the same tasks as the cores.",
          "role",
          "stat")),
  LOG_BEHIND(
      gauge(
          "tony_event_log_behind",
          "1 while the event log has not been written for a minute or longer, else 0.")),
  LINES_PASSED_OVER(
      counter(
          "tony_event_lines_passed_over_total",
          "Lines of the event log that make no sense to this version, and count for nothing"
              + " here."));

  /** Immutable in fact, because the constructor of {@link Metric} copies the labels. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final Metric metric;

  JobMetric(Metric metric) {
    this.metric = metric;
  }

  public Metric metric() {
    return metric;
  }
}
