package io.tony.history.web;

import io.tony.history.JobSummary;
import io.tony.metrics.PrometheusText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * Computes metrics of the jobs that have recently ended, by queue. The names of queues come from
 * the jobs' event logs, which can contain any name, so the number of queues is limited to {@value
 * #MAX_QUEUES}; of each user, the queues with the most jobs are preferred.
 */
final class RecentJobs {
  static final int MAX_QUEUES = 100;

  private static final double MILLIS = 1_000;

  /** A period that ends now. A job belongs to it if the job ended within the period. */
  private enum Window {
    HOUR("1h", Duration.ofHours(1)),
    DAY("1d", Duration.ofDays(1));

    private final String label;
    private final Duration length;

    Window(String label, Duration length) {
      this.label = label;
      this.length = length;
    }
  }

  private static final class QueueTotals {
    private final List<Double> waits = new ArrayList<>();
    private int jobs;
    private double seconds;
    private double goodSeconds;

    void add(JobSummary job, Instant now) {
      jobs++;
      if (job.queueWait() != null) {
        waits.add(job.queueWait().toMillis() / MILLIS);
      }
      Duration duration = job.duration(now);
      if (job.goodput() != null && duration != null) {
        seconds += duration.toMillis() / MILLIS;
        goodSeconds += job.goodput() * duration.toMillis() / MILLIS;
      }
    }
  }

  private record Row(String queue, Window window, QueueTotals totals) {}

  private final List<Row> rows = new ArrayList<>();

  RecentJobs(List<JobSummary> jobs, Instant now) {
    for (Window window : Window.values()) {
      Instant since = now.minus(window.length);
      Map<String, QueueTotals> queues = new HashMap<>();
      Map<String, Map<String, Integer>> byOwner = new HashMap<>();
      for (JobSummary job : jobs) {
        if (job.ended() != null && job.ended().isAfter(since)) {
          queues.computeIfAbsent(job.queue(), name -> new QueueTotals()).add(job, now);
          OwnerOrder.forOwner(byOwner, job.user()).merge(job.queue(), 1, Integer::sum);
        }
      }
      OwnerOrder.of(byOwner).stream()
          .limit(MAX_QUEUES)
          .forEach(
              queue -> rows.add(new Row(queue, window, Objects.requireNonNull(queues.get(queue)))));
    }
  }

  void write(PrometheusText text) {
    write(text, HistoryMetric.RECENT_JOBS, (row, add) -> add.add(row.totals.jobs, labels(row)));
    write(
        text,
        HistoryMetric.QUEUE_WAIT,
        (row, add) -> {
          double[] sorted =
              row.totals.waits.stream().mapToDouble(Double::doubleValue).sorted().toArray();
          if (sorted.length > 0) {
            add.add(sorted[(sorted.length - 1) / 2], row.queue, row.window.label, "median");
            add.add(sorted[sorted.length - 1], row.queue, row.window.label, "max");
          }
        });
    write(
        text,
        HistoryMetric.GOODPUT,
        (row, add) -> {
          if (row.totals.seconds > 0) {
            add.add(row.totals.goodSeconds / row.totals.seconds, labels(row));
          }
        });
  }

  private static String[] labels(Row row) {
    return new String[] {row.queue, row.window.label};
  }

  private void write(
      PrometheusText text, HistoryMetric metric, BiConsumer<Row, PrometheusText.Samples> sample) {
    text.with(metric.metric(), samples -> rows.forEach(row -> sample.accept(row, samples)));
  }
}
