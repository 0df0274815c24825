package io.tony.model;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Resource usage of a task at one time; written {@code 812 0.97}, or {@code 812 0.97 43 2048} with
 * GPUs.
 *
 * @param memoryMiB resident memory of the program's processes in MiB
 * @param cores average number of cores that these processes use
 * @param gpus null if the task has no GPU or the usage of its GPUs is unknown
 */
public record TaskUsage(long memoryMiB, double cores, @Nullable GpuUsage gpus) {
  /**
   * Usage of all GPUs of one task.
   *
   * @param percent share of time in which the GPUs compute, in percent; the average of all GPUs
   * @param memoryMiB used memory of all GPUs together, in MiB
   */
  public record GpuUsage(int percent, long memoryMiB) {}

  /**
   * Parses {@code MEMORY CORES [GPU_PERCENT GPU_MEMORY]}, as {@link #toString} returns it.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static TaskUsage parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != 2 && parts.length != 4) {
      throw new IllegalArgumentException("not the use of a task: '" + text + "'");
    }
    return new TaskUsage(
        Long.parseLong(parts[0]),
        Double.parseDouble(parts[1]),
        parts.length == 2
            ? null
            : new GpuUsage(Integer.parseInt(parts[2]), Long.parseLong(parts[3])));
  }

  @Override
  public String toString() {
    String memoryAndCores = String.format(Locale.ROOT, "%d %.2f", memoryMiB, cores);
    return gpus == null
        ? memoryAndCores
        : memoryAndCores + " " + gpus.percent() + " " + gpus.memoryMiB();
  }
}
