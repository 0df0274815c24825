package io.tony.metrics.job;

import io.tony.event.UsageSubject;
import io.tony.metrics.Metric;
import io.tony.metrics.PrometheusText;
import io.tony.model.TaskUsage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The usage of the tasks that was recorded last: minimum, median and maximum of each role. For a
 * large role, the event log contains only the three tasks with these values.
 */
final class RoleUsageMetrics {
  private static final double MEBIBYTE = 1024 * 1024;

  private final Map<String, List<TaskUsage>> roles = new LinkedHashMap<>();

  void replace(Map<String, String> uses, int maxRoles) {
    roles.clear();
    uses.forEach(
        (name, use) ->
            UsageSubject.role(name)
                .filter(role -> roles.size() < maxRoles || roles.containsKey(role))
                .ifPresent(role -> add(role, use)));
  }

  private void add(String role, String use) {
    try {
      roles.computeIfAbsent(role, name -> new ArrayList<>()).add(TaskUsage.parse(use));
    } catch (IllegalArgumentException e) {
      // Only the malformed figure is left out; the others are kept.
    }
  }

  /** Drops all usage, because no task runs any more. */
  void clear() {
    roles.clear();
  }

  void write(PrometheusText text) {
    write(text, JobMetric.TASK_MEMORY, use -> use.memoryMiB() * MEBIBYTE);
    write(text, JobMetric.TASK_CORES, TaskUsage::cores);
    write(text, JobMetric.TASK_GPU, use -> gpu(use, gpus -> gpus.percent() / 100.0));
    write(text, JobMetric.TASK_GPU_MEMORY, use -> gpu(use, gpus -> gpus.memoryMiB() * MEBIBYTE));
  }

  private static double gpu(TaskUsage use, ToDoubleFunction<TaskUsage.GpuUsage> figure) {
    return use.gpus() == null ? Double.NaN : figure.applyAsDouble(use.gpus());
  }

  private void write(PrometheusText text, JobMetric jobMetric, ToDoubleFunction<TaskUsage> figure) {
    Metric metric = jobMetric.metric();
    text.with(
        metric,
        samples ->
            new TreeMap<>(roles)
                .forEach(
                    (role, uses) -> {
                      double[] sorted =
                          uses.stream()
                              .mapToDouble(figure)
                              .filter(Double::isFinite)
                              .sorted()
                              .toArray();
                      if (sorted.length > 0) {
                        samples.add(sorted[0], role, "min");
                        samples.add(sorted[(sorted.length - 1) / 2], role, "median");
                        samples.add(sorted[sorted.length - 1], role, "max");
                      }
                    }));
  }
}
